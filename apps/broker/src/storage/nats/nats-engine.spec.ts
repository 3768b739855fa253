import { connect } from '@nats-io/transport-node';
import { createLogger } from '@ssb/platform';
import { startTestNats, waitFor } from '@ssb/testing';
import { NatsEngine } from './nats-engine.js';

const USERS = 'authorization { users: [{ user: u, password: p, permissions: { publish: ["allowed"] } }] }';

it('logs a forbidden publish without its payload', async () => {
  const nats = await startTestNats({ configuration: USERS });
  try {
    const lines: string[] = [];
    const stream = { write: (line: string) => void lines.push(line) };
    const log = createLogger({ name: 'test', level: 'warn', format: 'json', stream });
    const connection = await connect({ servers: nats.url, user: 'u', pass: 'p' });
    const engine = new NatsEngine(connection, 3_000, log);
    connection.publish('allowed', 'secret payload');
    connection.publish('forbidden', 'secret payload');
    await waitFor('a log line', () => lines.length > 0);
    await engine.close();
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
      expect.objectContaining({
        level: 'warn',
        msg: 'NATS error',
        err: expect.objectContaining({ type: 'PermissionViolationError' }),
      }),
    ]);
    expect(lines.join('')).not.toContain('payload');
  } finally {
    await nats.stop();
  }
});
