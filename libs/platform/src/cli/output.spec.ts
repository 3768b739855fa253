import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { renderRow, renderTable } from './output.js';

it('renderTable pads each column to its widest cell', () => {
  expect(
    renderTable(
      ['type', 'subject'],
      [
        ['a', 'x'],
        ['longer', 'y'],
      ],
    ),
  ).toBe(['type    subject', '──────  ───────', 'a       x', 'longer  y'].join('\n'));
});

it('renderRow pads a single row to the given widths', () => {
  expect(renderRow(['a', 'longer', 'c', ''], [3, 4, 1, 9])).toBe('a    longer  c');
});

describe('exitWhenOutputCloses', () => {
  const MODULE = new URL('./output.js', import.meta.url).href;
  /** Writes more than a pipe holds. */
  const WRITE = `let left = 200_000; const write = () => left-- > 0 && process.stdout.write('line\\n', write); write();`;

  /** Runs a script whose reader ends after the first output. */
  async function readFirstOutput(script: string): Promise<{ status: number | null; errors: string }> {
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

  it('ends the command quietly and successfully', async () => {
    const script = `import { exitWhenOutputCloses } from '${MODULE}'; exitWhenOutputCloses(); ${WRITE}`;
    expect(await readFirstOutput(script)).toEqual({ status: 0, errors: '' });
  });

  it('ends the command as the caller wants', async () => {
    const script = `import { exitWhenOutputCloses } from '${MODULE}'; exitWhenOutputCloses(() => process.exit(3)); ${WRITE}`;
    expect(await readFirstOutput(script)).toEqual({ status: 3, errors: '' });
  });

  it('prevents the stack trace that Node prints without it', async () => {
    const { status, errors } = await readFirstOutput(WRITE);
    expect([status, errors]).toEqual([1, expect.stringContaining('EPIPE')]);
  });
});
