import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { createLogger, type Logger } from './logger.js';

function captureLog(format: 'json' | 'pretty'): { log: Logger; written: () => string } {
  let written = '';
  const stream = new Writable({
    write: (chunk: Buffer, _, done) => {
      written += chunk.toString();
      done();
    },
  });
  return { log: createLogger({ name: 'app', level: 'info', format, stream }), written: () => written };
}

/** Fields with secrets, as a caller may log them by mistake. */
const WITH_SECRETS: object = {
  password: 'hunter2',
  token: 'hunter2',
  payload: '{"price":"hunter2"}',
  reason: 'known',
  of: { privateKey: 'hunter2', code: 'known', detail: { secret: 'hunter2', id: 7 } },
};

describe('a log', () => {
  it('writes one JSON object per line, with only the allowed fields at every depth', () => {
    const { log, written } = captureLog('json');
    log.info(WITH_SECRETS, 'received');
    expect(written()).not.toContain('hunter2');
    expect(JSON.parse(written())).toMatchObject({
      app: 'app',
      level: 'info',
      msg: 'received',
      reason: 'known',
      of: { code: 'known', detail: { id: 7 } },
    });
  });

  it('writes one readable line per entry, even with nested fields', () => {
    const { log, written } = captureLog('pretty');
    log.info(
      { step: 'listening', urls: ['http://a', 'http://b'], of: { of: { urls: [1, 2] } } },
      'listening',
    );
    log.warn(WITH_SECRETS, 'refused');
    const lines = written().trimEnd().split('\n');
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(
      /INFO: app: listening \{"step":"listening","urls":\["http:\/\/a","http:\/\/b"\]/,
    );
    expect(lines[1]).not.toContain('hunter2');
  });

  it.each(['json', 'pretty'] as const)('writes nothing that a terminal obeys: %s', (format) => {
    const { log, written } = captureLog(format);
    const hostile = 'a\u001b[2J\u007f\u009b\u202e\u2028\rb';
    log.warn({ detail: hostile, err: new Error(hostile, { cause: new Error(hostile) }) }, hostile);
    expect(written()).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}]/u);
    expect(written()).toContain('\\u202e');
    if (format === 'json') expect(JSON.parse(written())).toMatchObject({ detail: hostile, msg: hostile });
  });

  it('writes type, message, stack and causes of an error, without the credentials of a URL', () => {
    const { log, written } = captureLog('json');
    const cause = Object.assign(new RangeError('no response from redis://user:hunter2@redis:6379/0'), {
      code: 'E1',
    });
    const error = Object.assign(new Error('the request failed', { cause }), { body: 'hunter2' });
    log.error({ err: error }, 'failed');
    expect(written()).not.toContain('hunter2');
    expect(JSON.parse(written())).toMatchObject({
      err: {
        type: 'Error',
        message: 'the request failed',
        stack: expect.stringContaining('logger.spec'),
        cause: { type: 'RangeError', code: 'E1', message: 'no response from redis://***@redis:6379/0' },
      },
    });
  });

  it('filters the fields of a child logger, and of an error in any field', () => {
    const { log, written } = captureLog('json');
    const error = Object.assign(new Error('refused'), { body: 'hunter2' });
    log.child(WITH_SECRETS).info({ detail: error }, 'refused');
    expect(written()).not.toContain('hunter2');
    expect(JSON.parse(written())).toMatchObject({
      app: 'app',
      reason: 'known',
      detail: { message: 'refused' },
    });
  });

  it('limits the length of strings and arrays', () => {
    const { log, written } = captureLog('json');
    log.info({ reason: 'x'.repeat(100_000), urls: Array.from({ length: 10_000 }, () => 'y') }, 'large');
    expect(written().length).toBeLessThan(4_000);
  });

  const MODULE = new URL('./logger.js', import.meta.url).href;

  it.each([
    ['calls process.exit', 'process.exit(3);', 3],
    ['has an uncaught exception', 'throw new Error("unexpected");', 1],
  ])('writes every line when the process %s', async (_, end, status) => {
    const script = `
      const { createLogger } = await import(${JSON.stringify(MODULE)});
      const log = createLogger({ name: 'child', level: 'info', format: 'json' });
      for (let count = 1; count <= 2000; count += 1) log.info({ count }, 'line');
      ${end}`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
    expect(output.match(/"count":\d+/g)).toHaveLength(2_000);
    expect(output).toMatch(/"count":2000,.*\n$/);
    expect(code).toBe(status);
  });

  it.each([
    ['is closed', true],
    ['is not read', false],
  ])('does not delay the exit of a process when its output %s', async (_, isClosed) => {
    const script = `
      const { createLogger } = await import(${JSON.stringify(MODULE)});
      const log = createLogger({ name: 'child', level: 'info', format: 'json' });
      process.on('disconnect', () => {
        for (let count = 1; count <= 5000; count += 1) log.info({ count }, 'line');
        log.fatal('the last line');
        process.exit(7);
      });
      process.send('ready');`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
    });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    await new Promise((resolve) => child.once('message', resolve));
    if (isClosed) child.stdout?.destroy();
    else child.stdout?.pause();
    child.disconnect();
    expect(await ended).toBe(7);
    child.stdout?.destroy();
  });
});
