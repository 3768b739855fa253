import { Command } from 'commander';
import { addOutput } from '../options.js';
import type { VerifyOptions } from '../verify/verify.js';

const HELP = `
It needs neither network nor database. It recomputes everything from the message in the file, and prints what is proved, by whom, and what is not.
Exit status: 0 when both signatures are valid and the trust file trusts both signers; 1 when the file is undamaged and its signers are not verified,
also without --trust; 2 when it proves nothing, or cannot be read.

Examples:
  busbridge verify evidence.json --trust trust.json     # the file of "busbridge trust export --history"
  busbridge verify evidence.json --trust trust.json --json
`;

/** `busbridge verify`. */
export function verifyCommand(): Command {
  return addOutput(new Command('verify'))
    .description('Verifies an evidence file without any other source.')
    .argument('<file>', 'the file of "busbridge evidence export"')
    .option('--trust <file>', 'the file of "busbridge trust export"')
    .addHelpText('after', HELP)
    .action(async (file: string, options: VerifyOptions) =>
      (await import('../verify/verify.js')).verify(file, options),
    );
}
