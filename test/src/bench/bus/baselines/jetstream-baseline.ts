import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** The NATS server returned an error or closed the connection. */
export class JetStreamError extends Error {
  override readonly name = 'JetStreamError';
}

const STREAM = 'bench-append-alone';
const SUBJECT = 'bench.append.alone';
/** The stream drops old messages beyond this size. */
const MAX_STREAM_BYTES = 64 * 1_048_576;

/**
 * Acknowledged appends per second of JetStream with file storage. It implements the client protocol (docs.nats.io, "Client Protocol"), so
 * that no client library is measured.
 */
export async function measureJetStreamAppends(
  port: number,
  payload: string,
  total: number,
  inFlight: number,
): Promise<number> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    const client = new NatsConnection(socket);
    socket.write('CONNECT {"verbose":false}\r\nSUB _INBOX.bench 1\r\n');
    const config = {
      name: STREAM,
      subjects: [SUBJECT],
      storage: 'file',
      max_bytes: MAX_STREAM_BYTES,
      discard: 'old',
    };
    await client.publish(toPublishCommand(`$JS.API.STREAM.CREATE.${STREAM}`, JSON.stringify(config)), 1, 1);
    const started = performance.now();
    await client.publish(toPublishCommand(SUBJECT, payload), total, inFlight);
    const seconds = (performance.now() - started) / 1000;
    await client.publish(toPublishCommand(`$JS.API.STREAM.DELETE.${STREAM}`, ''), 1, 1);
    return total / seconds;
  } finally {
    socket.destroy();
  }
}

function toPublishCommand(subject: string, payload: string): string {
  return `PUB ${subject} _INBOX.bench ${Buffer.byteLength(payload)}\r\n${payload}\r\n`;
}

/** Sends commands and counts the replies. */
class NatsConnection {
  private received = '';
  private onReplies: (count: number) => void = () => undefined;
  private onFailure: (error: Error) => void = () => undefined;

  constructor(private readonly socket: Socket) {
    socket.setNoDelay(true);
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => this.handleData(chunk));
    socket.on('error', (error) => this.onFailure(error));
    socket.on('close', () => this.onFailure(new JetStreamError('the server closed the connection')));
  }

  /** Sends the same command `total` times with `inFlight` outstanding replies, and waits for all replies. */
  publish(command: string, total: number, inFlight: number): Promise<void> {
    return new Promise((resolve, reject) => {
      let sent = Math.min(total, inFlight);
      let replied = 0;
      this.onFailure = reject;
      this.onReplies = (count) => {
        replied += count;
        const more = Math.min(count, total - sent);
        sent += more;
        if (more > 0) this.socket.write(command.repeat(more), 'latin1');
        if (replied === total) resolve();
      };
      this.socket.write(command.repeat(sent), 'latin1');
    });
  }

  private handleData(chunk: string): void {
    const lines = (this.received + chunk).split('\r\n');
    this.received = lines.pop() ?? '';
    const errorLine = lines.find((line) => line.startsWith('-ERR') || line.includes('"error":'));
    if (errorLine !== undefined) this.onFailure(new JetStreamError(errorLine));
    if (lines.includes('PING')) this.socket.write('PONG\r\n');
    // Each reply has one line of JSON.
    const replies = lines.filter((line) => line.startsWith('{')).length;
    if (replies > 0) this.onReplies(replies);
  }
}
