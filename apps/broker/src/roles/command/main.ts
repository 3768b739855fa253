import { whenOutputCloses } from '@ssb/platform';
import { CommanderError } from 'commander';
import { rolesCommand } from './roles-command.js';

whenOutputCloses();

/** `node dist/src/command/main.js list|approve|reject|revoke`; `--help` tells the rest. */
const program = rolesCommand((text) => process.stdout.write(`${text}\n`)).exitOverride();
for (const command of program.commands) command.exitOverride();
try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    // Commander has said what is wrong, or shown its help.
    process.exitCode = error.exitCode === 0 ? 0 : 2;
  } else {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
