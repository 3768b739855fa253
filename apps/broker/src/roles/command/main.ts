import { exitWhenOutputCloses } from '@ssb/platform';
import { CommanderError } from 'commander';
import { rolesCommand } from './roles-command.js';

exitWhenOutputCloses();

/** `node dist/src/roles/command/main.js list|approve|reject|revoke` */
const program = rolesCommand((text) => process.stdout.write(`${text}\n`)).exitOverride();
for (const command of program.commands) command.exitOverride();
try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    // Commander has printed the error or its help.
    process.exitCode = error.exitCode === 0 ? 0 : 2;
  } else {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
