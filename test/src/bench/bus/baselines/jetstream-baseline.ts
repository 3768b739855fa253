import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** The server refused something, or its stream did. */
export class JetStreamAloneError extends Error {
  override readonly name = 'JetStreamAloneError';
}

const STREAM = 'bench-append-alone';
const SUBJECT = 'bench.append.alone';
/** Bytes that the stream keeps: what is measured is the appending. */
const KEPT = 64 * 1_048_576;

/**
 * Appends a second of JetStream alone, on files: the same payload onto a stream, so many in flight, each acknowledged. It speaks the
 * protocol by itself (docs.nats.io, "Client Protocol"), so that no client library is measured.
 */
export async function jetStreamAlone(
  port: number,
  payload: string,
  total: number,
  inFlight: number,
): Promise<number> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    const replies = new Replies(socket);
    socket.write('CONNECT {"verbose":false}\r\nSUB _INBOX.bench 1\r\n');
    const config = { name: STREAM, subjects: [SUBJECT], storage: 'file', max_bytes: KEPT, discard: 'old' };
    await replies.of(publishing(`$JS.API.STREAM.CREATE.${STREAM}`, JSON.stringify(config)), 1, 1);
    const began = performance.now();
    await replies.of(publishing(SUBJECT, payload), total, inFlight);
    const seconds = (performance.now() - began) / 1000;
    await replies.of(publishing(`$JS.API.STREAM.DELETE.${STREAM}`, ''), 1, 1);
    return total / seconds;
  } finally {
    socket.destroy();
  }
}

function publishing(subject: string, payload: string): string {
  return `PUB ${subject} _INBOX.bench ${Buffer.byteLength(payload)}\r\n${payload}\r\n`;
}

/** Sends and counts what is answered. */
class Replies {
  private received = '';
  private onAnswer: (answers: number) => void = () => undefined;
  private onFailure: (error: Error) => void = () => undefined;

  constructor(private readonly socket: Socket) {
    socket.setNoDelay(true);
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => this.take(chunk));
    socket.on('error', (error) => this.onFailure(error));
    socket.on('close', () => this.onFailure(new JetStreamAloneError('the server closed the connection')));
  }

  /** Sends the same so many times, `inFlight` unanswered at any moment, and waits for the last answer. */
  of(message: string, total: number, inFlight: number): Promise<void> {
    return new Promise((resolve, reject) => {
      let sent = Math.min(total, inFlight);
      let answered = 0;
      this.onFailure = reject;
      this.onAnswer = (answers) => {
        answered += answers;
        const more = Math.min(answers, total - sent);
        sent += more;
        if (more > 0) this.socket.write(message.repeat(more), 'latin1');
        if (answered === total) resolve();
      };
      this.socket.write(message.repeat(sent), 'latin1');
    });
  }

  private take(chunk: string): void {
    const lines = (this.received + chunk).split('\r\n');
    this.received = lines.pop() ?? '';
    const refused = lines.find((line) => line.startsWith('-ERR') || line.includes('"error":'));
    if (refused !== undefined) this.onFailure(new JetStreamAloneError(refused));
    if (lines.includes('PING')) this.socket.write('PONG\r\n');
    // The payload of an answer is JSON on one line.
    const answers = lines.filter((line) => line.startsWith('{')).length;
    if (answers > 0) this.onAnswer(answers);
  }
}
