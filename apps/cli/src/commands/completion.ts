import { Argument, Command } from 'commander';

const HELP = `
The script asks busbridge for commands, options, their values and the names of profiles. Load it in each shell, or in its start file:

Examples:
  source <(busbridge completion bash)     # ~/.bashrc
  source <(busbridge completion zsh)      # ~/.zshrc, after compinit
`;

/** `busbridge completion`. @param loadProgram the program with the command of this name; with all for another */
export function completionCommand(loadProgram: (called: string) => Promise<Command>): Command {
  const command = new Command('completion')
    .description('Prints a script that completes commands and options in a shell.')
    .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh']))
    .addHelpText('after', HELP)
    .action(async (shell: 'bash' | 'zsh') => (await import('../completion/scripts.js')).printScript(shell));
  command
    .command('suggest', { hidden: true })
    .description('prints what can stand in place of the last word; the scripts call it')
    .argument('[words...]')
    .action(async (words: string[]) => {
      const [{ suggest }, { standardOutput }] = await Promise.all([
        import('../completion/suggest.js'),
        import('@ssb/platform/cli'),
      ]);
      const program = await loadProgram(words.length > 1 ? (words[0] ?? '') : '');
      for (const each of await suggest(program, words)) standardOutput.writeLine(each);
    });
  return command;
}
