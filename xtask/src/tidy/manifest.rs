//! The part of `Cargo.toml` that the checks need: package name and dependencies.

/// What a manifest says.
#[derive(Debug, Default, PartialEq)]
pub struct Manifest {
    /// The package's name; empty in a manifest without a package.
    pub name: String,
    /// Names of all direct dependencies, whatever their kind.
    pub dependencies: Vec<String>,
}

impl Manifest {
    /// Reads the lines of a manifest. Dependencies of a renamed package go by the package's own name.
    pub fn parse(text: &str) -> Self {
        let mut manifest = Self::default();
        let mut section = String::new();
        let mut open = 0i32;
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if open == 0 && line.starts_with('[') {
                section = line.trim_matches(['[', ']', ' ']).to_owned();
                manifest.table_header(&section);
            } else if open == 0 {
                manifest.entry(&section, line);
            }
            // Continuation lines of an array or table belong to the entry that opened it.
            if !line.starts_with('[') || open > 0 {
                open += brackets(line);
            }
        }
        manifest
    }

    /// `[dependencies.name]`
    fn table_header(&mut self, section: &str) {
        if let Some((head, name)) = section.rsplit_once('.')
            && is_dependencies(head)
        {
            self.dependencies.push(name.to_owned());
        }
    }

    fn entry(&mut self, section: &str, line: &str) {
        let Some((key, value)) = line.split_once('=') else { return };
        if section == "package" && key.trim() == "name" {
            self.name = unquote(value).to_owned();
        }
        if is_dependencies(section) && section != "workspace.dependencies" {
            let name = key.split('.').next().unwrap_or(key);
            self.dependencies.push(renamed(value).unwrap_or(unquote(name)).to_owned());
        }
    }
}

fn is_dependencies(section: &str) -> bool {
    section == "dependencies" || section.ends_with("-dependencies") || section.ends_with(".dependencies")
}

/// The name in `{ package = "name", .. }`.
fn renamed(value: &str) -> Option<&str> {
    let (_, rest) = value.split_once("package")?;
    rest.trim_start().strip_prefix('=')?.split('"').nth(1)
}

fn unquote(text: &str) -> &str {
    text.trim().trim_matches('"')
}

fn brackets(line: &str) -> i32 {
    let mut quoted = false;
    line.chars().fold(0, |open, c| {
        quoted ^= c == '"';
        match c {
            '[' | '{' if !quoted => open + 1,
            ']' | '}' if !quoted => open - 1,
            _ => open,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependencies_of_every_kind() {
        let text = r#"
            [package]
            name = "tilewright-x"
            authors = [
                "a = b",
            ]
            [dependencies]
            one.workspace = true
            two = { version = "1", features = [
                "three",
            ] }
            four = { package = "five", version = "1" }
            [target.'cfg(unix)'.dependencies]
            "six" = "1"
            [dev-dependencies.seven]
            version = "1"
            [workspace.dependencies]
            eight = "1"
            [features]
            nine = []
        "#;
        let manifest = Manifest::parse(text);
        assert_eq!(manifest.name, "tilewright-x");
        assert_eq!(manifest.dependencies, ["one", "two", "five", "six", "seven"]);
    }
}
