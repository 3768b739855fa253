import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { UnexpectedAnswerError } from '../../load.js';

const HEAD_END = '\r\n\r\n';
const LENGTH = /\r\ncontent-length: *(\d+)/i;

/**
 * A connection that posts again and again, one request at a time, and reads of the answer no more than its status and where it ends: a
 * client library costs as much a message as a server does, and would be measured with it.
 */
export class KeepAlivePost {
  private received = '';
  private settle: { resolve: () => void; reject: (error: Error) => void } | undefined;

  private constructor(private readonly socket: Socket) {
    socket.setNoDelay(true);
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => this.take(chunk));
    socket.on('error', (error) => this.settle?.reject(error));
    socket.on('close', () => this.settle?.reject(new Error('the server closed the connection')));
  }

  static async open(port: number): Promise<KeepAlivePost> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return new KeepAlivePost(socket);
  }

  /**
   * Sends a whole request, ASCII alone, and waits for the last byte of the answer, which must give its length.
   * @throws UnexpectedAnswerError for any status but 200
   */
  send(request: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.settle = { resolve, reject };
      this.socket.write(request, 'latin1');
    });
  }

  close(): void {
    this.settle = undefined;
    this.socket.destroy();
  }

  private take(chunk: string): void {
    this.received += chunk;
    const headEnd = this.received.indexOf(HEAD_END);
    if (headEnd < 0) return;
    const bodyAt = headEnd + HEAD_END.length;
    const length = Number(LENGTH.exec(this.received)?.[1] ?? 0);
    if (this.received.length < bodyAt + length) return;
    const answer = this.received;
    this.received = '';
    const status = Number(answer.slice(9, 12));
    const settle = this.settle;
    this.settle = undefined;
    if (status === 200) settle?.resolve();
    else settle?.reject(new UnexpectedAnswerError('POST message', status, answer.slice(bodyAt)));
  }
}
