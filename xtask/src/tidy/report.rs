//! What the checks found, in the order they found it.

use std::fmt;

/// Findings and tables of all checks.
#[derive(Default)]
pub struct Report {
    /// What must be mended; any makes the command fail.
    pub errors: Vec<String>,
    /// What should be looked at.
    pub warnings: Vec<String>,
    lines: Vec<String>,
}

impl Report {
    /// Starts the output of the next check.
    pub fn section(&mut self, title: &str) {
        self.lines.push(format!("- {title}"));
    }

    /// Adds a line of a table or summary.
    pub fn line(&mut self, text: impl Into<String>) {
        self.lines.push(format!("    {}", text.into()));
    }

    /// Adds a finding that fails the command.
    pub fn error(&mut self, place: impl fmt::Display, text: impl fmt::Display) {
        let finding = format!("{place}: {text}");
        self.lines.push(format!("  error: {finding}"));
        self.errors.push(finding);
    }

    /// Adds a finding that does not.
    pub fn warn(&mut self, place: impl fmt::Display, text: impl fmt::Display) {
        let finding = format!("{place}: {text}");
        self.lines.push(format!("  warning: {finding}"));
        self.warnings.push(finding);
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in &self.lines {
            writeln!(f, "{line}")?;
        }
        writeln!(f, "tidy: {} errors, {} warnings", self.errors.len(), self.warnings.len())
    }
}
