import { Writable } from 'node:stream';
import { createLogger, type Logger } from './logger.js';

function logInto(format: 'json' | 'pretty'): { log: Logger; written: () => string } {
  let written = '';
  const stream = new Writable({
    write: (chunk: Buffer, _, done) => {
      written += chunk.toString();
      done();
    },
  });
  return { log: createLogger({ name: 'app', level: 'info', format, stream }), written: () => written };
}

describe('a log', () => {
  it('is one JSON object a line, with secrets and payloads cut out at any of three depths', () => {
    const { log, written } = logInto('json');
    log.info({ password: 'a', request: { authorization: 'b', of: { payload: 'c', size: 1 } } }, 'asked');
    expect(written()).not.toMatch(/"[abc]"/);
    expect(JSON.parse(written())).toMatchObject({
      app: 'app',
      level: 'info',
      msg: 'asked',
      password: '[redacted]',
      request: { authorization: '[redacted]', of: { payload: '[redacted]', size: 1 } },
    });
  });

  it('is one line an entry for people too, however deep its fields are', () => {
    const { log, written } = logInto('pretty');
    log.info({ step: 'listening', urls: ['http://a', 'http://b'], of: { a: { b: [1, 2] } } }, 'listening');
    log.warn({ token: 'hunter2' }, 'refused');
    const lines = written().trimEnd().split('\n');
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(
      /INFO: app: listening \{"step":"listening","urls":\["http:\/\/a","http:\/\/b"\]/,
    );
    expect(lines[1]).not.toContain('hunter2');
  });
});
