import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../../check/run-command.js';
import { CheckFailure, runAll } from '../deploy-check.js';
import { FORMS, writeKitProgram } from './kit-program.js';

/** Node prints the line of an uncaught error. Some texts of the kit are longer than the limit of lines. */
const MAX_LINE_LENGTH = 700;
const MAX_REPORT_LENGTH = 2_000;

/** @param content folder of the packed files. @throws CheckFailure for a line that is too long */
export function checkLines(content: string): void {
  for (const file of readdirSync(content).filter((name) => /\.c?js$/.test(name))) {
    const lines = readFileSync(join(content, file), 'utf8').split('\n');
    const longest = Math.max(...lines.map(({ length }) => length));
    if (longest > MAX_LINE_LENGTH)
      throw new CheckFailure(`${file} has a line of ${longest} characters; ${MAX_LINE_LENGTH} are allowed.`);
  }
}

const PROGRAM = `const { Consumer, MemoryStore, Trust } = kit;
const trust = Trust.fromJson({ version: 1, signatureScheme: 'eip191', channels: {} });
new Consumer({ url: 'wrong', user: 'u', password: 'p', clientId: 'c', trust, store: new MemoryStore() });
`;

/** Fails unless Node reports an uncaught error of the installed kit in few lines, by its name and message. @throws CheckFailure */
export async function checkErrors(folder: string, node: string): Promise<void> {
  await runAll(FORMS, async (form) => {
    const file = writeKitProgram(folder, 'error', form, PROGRAM);
    const { output } = await runCommand(node, [file], { cwd: folder, timeoutMs: 60_000 });
    if (!/^InvalidOptionError: url takes /m.test(output) || output.length > MAX_REPORT_LENGTH)
      throw new CheckFailure(
        `Node reports an error of the kit (${form}) with ${output.length} characters:\n${output}`,
      );
  });
}
