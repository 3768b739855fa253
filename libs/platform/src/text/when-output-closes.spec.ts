import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

const module = new URL('../../dist/text/when-output-closes.js', import.meta.url).href;

/** Runs a script whose reader goes after the first of its output. */
async function readOneLineOf(script: string): Promise<{ status: number | null; errors: string }> {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const errors = text(child.stderr);
  const exit = once(child, 'exit');
  await once(child.stdout, 'data');
  child.stdout.destroy();
  const [status] = (await exit) as [number | null];
  return { status, errors: await errors };
}

/** More than a pipe holds. */
const WRITE_ON = `let left = 200_000; const write = () => left-- > 0 && process.stdout.write('line\\n', write); write();`;

describe('whenOutputCloses', () => {
  it('ends the command quietly and successfully', async () => {
    const script = `import { whenOutputCloses } from '${module}'; whenOutputCloses(); ${WRITE_ON}`;
    expect(await readOneLineOf(script)).toEqual({ status: 0, errors: '' });
  });

  it('ends it as the caller wants', async () => {
    const script = `import { whenOutputCloses } from '${module}'; whenOutputCloses(() => process.exit(3)); ${WRITE_ON}`;
    expect(await readOneLineOf(script)).toEqual({ status: 3, errors: '' });
  });

  it('is needed: without it there is a stack trace', async () => {
    const { status, errors } = await readOneLineOf(WRITE_ON);
    expect([status, errors]).toEqual([1, expect.stringContaining('EPIPE')]);
  });
});
