import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { TextOutput } from './output.js';
import { renderTable } from './table.js';

/** Clears the screen, reverses the text, begins a command in 8 bits, breaks the line, each as a terminal understands it. */
const HOSTILE = 'a\u001b[2J\u202e\u009b\u2028\r\nb';
const SHOWN = 'a\\u001b[2J\\u202e\\u009b\\u2028\\r\\nb';

describe('what a terminal obeys', () => {
  const written = (write: (output: TextOutput) => void, isTTY = true, environment = {}): string => {
    let text = '';
    write(new TextOutput(() => ({ write: (each) => (text += String(each)), isTTY }), environment));
    return text;
  };

  it('is escaped in a line, a cell, JSON and an exact text', () => {
    expect(written((output) => output.writeLine(HOSTILE))).toBe(`${SHOWN}\n`);
    expect(written((output) => output.replaceLine(HOSTILE))).toBe(`\r\u001b[K${SHOWN}`);
    expect(written((output) => output.writeAlert(HOSTILE))).toBe(`\u001b[1;31m${SHOWN}\u001b[0m\n`);
    expect(written((output) => output.write(renderTable(['head'], [[HOSTILE]])))).toBe(
      `head\n${'─'.repeat(SHOWN.length)}\n${SHOWN}`,
    );
    expect(written((output) => output.writeJson([HOSTILE], 0))).toBe(`["${SHOWN}"]\n`);
    expect(written((output) => output.writeExact(`${HOSTILE}\n`))).toBe(
      'a\\u001b[2J\\u202e\\u009b\\u2028\\r\nb\n',
    );
  });

  it('fits COLUMNS, otherwise the terminal', () => {
    const widthOf = (isTTY: boolean, environment = {}) =>
      new TextOutput(() => ({ write: () => true, isTTY, columns: 90 }), environment).width;
    expect([widthOf(true), widthOf(false)]).toEqual([90, undefined]);
    for (const isTTY of [true, false]) expect(widthOf(isTTY, { COLUMNS: '60' })).toBe(60);
  });

  it('stays in an exact text for a program, and no file gets colour', () => {
    expect(written((output) => output.writeExact(HOSTILE), false)).toBe(HOSTILE);
    expect(written((output) => output.writeAlert('a'), false)).toBe('a\n');
    for (const environment of [{ NO_COLOR: '1' }, { TERM: 'dumb' }])
      expect(written((output) => output.writeAlert('a'), true, environment)).toBe('a\n');
  });
});

it('endCommand writes everything, and ends the process although work is left', () => {
  const module = new URL('./output.js', import.meta.url).href;
  const script = `import { endCommand } from '${module}'; setInterval(() => {}, 1_000); process.stdout.write('x'.repeat(200_000)); endCommand(3);`;
  const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
  });
  expect([status, stdout.length]).toEqual([3, 200_000]);
});

describe('prepareCommand', () => {
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
    const script = `import { prepareCommand } from '${MODULE}'; prepareCommand(); ${WRITE}`;
    expect(await readFirstOutput(script)).toEqual({ status: 0, errors: '' });
  });

  it('prints an error that nothing handles with escapes', () => {
    const script = `import { prepareCommand } from '${MODULE}'; prepareCommand(); throw new Error('\\u001b[2J\\u009b');`;
    const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
      encoding: 'utf8',
    });
    expect(status).toBe(1);
    expect(stderr).toContain('Error: \\u001b[2J\\u009b\n    at ');
    expect(stderr).not.toMatch(/[^\P{Cc}\n]/u);
  });
});
