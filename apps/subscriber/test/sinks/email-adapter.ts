import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { readHeaders, readParts, startSmtpReceiver, type ReceivedMail } from '../support/smtp-receiver.js';
import type { Behaviour, ReceivedMessage, SinkAdapter, SinkReceiver } from './sink-adapter.js';
import { readReference } from './vendor-formats.js';

const PASSWORD = 'password-of-the-mail-server';
const refusal = (responseCode: number, message: string): Error =>
  Object.assign(new Error(message), { responseCode });

/** A mail server on loopback, without TLS. */
export const emailAdapter = (shows: SinkAdapter['shows']): SinkAdapter => ({
  kind: 'email',
  behaviours: ['accept', 'refuse', 'fail', 'hang', 'close', 'flood', 'echo'],
  hasFiles: true,
  shows,
  start: async () => {
    const received: ReceivedMessage[] = [];
    const state: { behaviour: Behaviour; connections: number } = { behaviour: 'accept', connections: 0 };
    let open = 0;
    const sockets = new Set<Socket>();
    const smtp = await startSmtpReceiver({
      hideSTARTTLS: true,
      allowInsecureAuth: true,
      onAuth: ({ username, password }, _, done) =>
        password === PASSWORD ? done(null, { user: username ?? '' }) : done(refusal(535, 'wrong password')),
      onData: (_, __, done) => {
        const mail = smtp.mails.at(-1);
        if (mail !== undefined) received.push(readMail(mail));
        switch (state.behaviour) {
          case 'refuse':
            return done(refusal(550, 'refused'));
          case 'fail':
            return done(refusal(451, 'later'));
          case 'echo':
            return done(refusal(550, `refused: ${PASSWORD}`));
          case 'close':
            return sockets.forEach((socket) => socket.destroy());
          case 'hang':
            return;
          case 'flood':
            return (done as (error: null, message: string) => void)(null, 'x'.repeat(10_000));
          default:
            return done();
        }
      },
    });
    // Counts and closes the connections, which the mail server does not show.
    const front = createServer((socket) => {
      state.connections = Math.max(state.connections, (open += 1));
      const back = connect(smtp.port, '127.0.0.1');
      for (const each of [socket, back]) {
        sockets.add(each);
        each.on('error', () => undefined);
      }
      socket.once('close', () => (open -= 1));
      socket.pipe(back).pipe(socket);
    }).listen(0, '127.0.0.1');
    await once(front, 'listening');
    const stop = async () => {
      sockets.forEach((socket) => socket.destroy());
      if (front.listening) await new Promise((resolve) => front.close(resolve));
      await smtp.close();
    };
    return Object.assign(state, {
      received,
      stop,
      files: { password: PASSWORD },
      config: {
        name: 'treasury',
        kind: 'email',
        host: '127.0.0.1',
        port: (front.address() as AddressInfo).port,
        tls: 'none',
        username: 'bridge',
        passwordFile: 'password',
        from: 'bridge@example.org',
        to: ['treasury@example.org'],
      },
    }) satisfies SinkReceiver;
  },
});

/** @throws for a header or a recipient that a text has added, and for HTML that is not of the bridge */
function readMail({ to, source }: ReceivedMail): ReceivedMessage {
  expect(to).toEqual(['treasury@example.org']);
  const headers = readHeaders(source);
  expect(headers.has('bcc')).toBe(false);
  const [text = '', html = ''] = readParts(source);
  expect(html).not.toMatch(/<script/);
  const reference = text.trim().split('\n').at(-1);
  const { id, subject } = readReference(reference);
  expect(headers.get('message-id')).toBe(`<${id}@example.org>`);
  return { id, subject };
}
