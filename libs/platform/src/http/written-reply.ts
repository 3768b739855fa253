import { STATUS_CODES } from 'node:http';
import type { FailureReply } from './answer-failure.js';

/** The last answer on a connection, as bytes: for what there is no request to reply to. */
export class WrittenReply implements FailureReply {
  private code = 500;
  private body = '';
  private readonly headers = new Map<string, string>();

  status(code: number): this {
    this.code = code;
    return this;
  }

  header(name: string, value: string): this {
    this.headers.set(name, value);
    return this;
  }

  /** Takes text as it is, and anything else as JSON. */
  send(body: unknown): this {
    if (typeof body === 'string') this.body = body;
    else {
      this.body = JSON.stringify(body);
      this.headers.set('content-type', 'application/json; charset=utf-8');
    }
    return this;
  }

  text(): string {
    const { code, body } = this;
    const headers = [
      ...this.headers,
      ['content-length', String(Buffer.byteLength(body))],
      ['connection', 'close'],
    ];
    const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`);
    return `HTTP/1.1 ${code} ${STATUS_CODES[code] ?? ''}\r\n${lines.join('')}\r\n${body}`;
  }
}
