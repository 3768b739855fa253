import { escapeCommandOutput, prepareCommand, standardError, standardOutput } from '@ssb/platform';
import { CommanderError } from 'commander';
import { rolesCommand } from './roles-command.js';

prepareCommand();

/** `node dist/src/roles/command/main.js list|approve|reject|revoke` */
const program = rolesCommand((text) => standardOutput.write(`${text}\n`)).exitOverride();
for (const command of program.commands) command.exitOverride();
escapeCommandOutput(program);
try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    // Commander has printed the error or its help.
    process.exitCode = error.exitCode === 0 ? 0 : 2;
  } else {
    standardError.writeError(error);
    process.exitCode = 1;
  }
}
