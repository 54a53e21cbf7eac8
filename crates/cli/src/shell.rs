//! `tilewright completions` and `tilewright man`: made from the declaration of the arguments.

use crate::args::Cli;
use crate::failure::{Exit, Failure};
use crate::files;
use clap::{Args, Command, CommandFactory};
use clap_complete::Shell;
use std::io::Write;
use std::path::PathBuf;

const COMPLETIONS: &str = "\
Examples:
  tilewright completions bash > ~/.local/share/bash-completion/completions/tilewright
  tilewright completions zsh > ~/.zfunc/_tilewright
  tilewright completions fish > ~/.config/fish/completions/tilewright.fish";

/// Options of `completions`.
#[derive(Args, Debug)]
#[command(after_help = COMPLETIONS)]
pub struct CompletionsArgs {
    /// The shell
    pub shell: Shell,
}

/// Options of `man`.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  tilewright man | man -l -")]
pub struct ManArgs {
    /// Write a page for each command to DIR instead
    #[arg(short, long, value_name = "DIR")]
    pub output_dir: Option<PathBuf>,
}

/// Prints completions.
///
/// # Errors
/// Standard output.
pub fn completions(args: &CompletionsArgs, out: &mut dyn Write) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "tilewright", &mut script);
    out.write_all(&script)?;
    Ok(Exit::Done)
}

/// Prints or writes man pages.
///
/// # Errors
/// Standard output, or the folder.
pub fn man(args: &ManArgs, out: &mut dyn Write) -> Result<Exit, Failure> {
    let mut root = Cli::command().disable_help_subcommand(true);
    root.build();
    let Some(dir) = &args.output_dir else {
        out.write_all(&page(root)?)?;
        return Ok(Exit::Done);
    };
    files::make_dir(dir)?;
    let commands: Vec<Command> = root.get_subcommands().cloned().collect();
    for command in commands.into_iter().chain([root]) {
        let name = command.get_display_name().unwrap_or(command.get_name()).to_string();
        files::write(&dir.join(format!("{name}.1")), &page(command)?)?;
    }
    Ok(Exit::Done)
}

fn page(command: Command) -> Result<Vec<u8>, Failure> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page)?;
    Ok(page)
}
