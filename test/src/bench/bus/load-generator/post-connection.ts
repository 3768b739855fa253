import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { UnexpectedResponseError } from '../../load.js';

const HEAD_END = '\r\n\r\n';
const CONTENT_LENGTH = /\r\ncontent-length: *(\d+)/i;

/**
 * A persistent connection that reads only the status and the length of each response. A client library would use as much processor time
 * as the server, and would be measured with it.
 */
export class PostConnection {
  private received = '';
  private pending: { resolve: () => void; reject: (error: Error) => void } | undefined;

  private constructor(private readonly socket: Socket) {
    socket.setNoDelay(true);
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => this.handleData(chunk));
    socket.on('error', (error) => this.pending?.reject(error));
    socket.on('close', () => this.pending?.reject(new Error('the server closed the connection')));
  }

  static async open(port: number): Promise<PostConnection> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return new PostConnection(socket);
  }

  /**
   * Sends a request of ASCII text and waits for the response, which must have a content-length. One request at a time.
   * @throws UnexpectedResponseError for any status but 200
   */
  send(request: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.pending = { resolve, reject };
      this.socket.write(request, 'latin1');
    });
  }

  close(): void {
    this.pending = undefined;
    this.socket.destroy();
  }

  private handleData(chunk: string): void {
    this.received += chunk;
    const headEnd = this.received.indexOf(HEAD_END);
    if (headEnd < 0) return;
    const bodyStart = headEnd + HEAD_END.length;
    const length = Number(CONTENT_LENGTH.exec(this.received)?.[1] ?? 0);
    if (this.received.length < bodyStart + length) return;
    const response = this.received;
    this.received = '';
    const status = Number(response.slice(9, 12));
    const pending = this.pending;
    this.pending = undefined;
    if (status === 200) pending?.resolve();
    else pending?.reject(new UnexpectedResponseError('POST message', status, response.slice(bodyStart)));
  }
}
