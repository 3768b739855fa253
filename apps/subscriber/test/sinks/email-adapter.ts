import type { SinkConfig } from '@ssb/config';
import type { Socket } from 'node:net';
import {
  readHeaders,
  readParts,
  readReference,
  startSmtpReceiver,
  type ReceivedMail,
  type ReceivedMessage,
} from '@ssb/testing/sinks';
import type { Behaviour, SinkAdapter, SinkReceiver } from './sink-adapter.js';

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
    let sending = 0;
    const sockets = new Set<Socket>();
    const smtp = await startSmtpReceiver({
      hideSTARTTLS: true,
      allowInsecureAuth: true,
      onAuth: ({ username, password }, _, done) =>
        password === PASSWORD ? done(null, { user: username ?? '' }) : done(refusal(535, 'wrong password')),
      // The server notices the end of a connection late, so the mails in transfer are counted.
      onMailFrom: (_, __, done) => {
        state.connections = Math.max(state.connections, (sending += 1));
        done();
      },
      onData: (_, __, done) => {
        sending -= 1;
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
    smtp.server.on('connection', (socket: Socket) => void sockets.add(socket));
    const stop = () => {
      sockets.forEach((socket) => socket.destroy());
      return smtp.close();
    };
    const config: SinkConfig = {
      name: 'treasury',
      kind: 'email',
      host: '127.0.0.1',
      port: smtp.port,
      tls: 'none',
      username: 'bridge',
      passwordFile: 'password',
      from: 'bridge@example.org',
      to: ['treasury@example.org'],
    };
    return Object.assign(state, {
      received,
      stop,
      files: { password: PASSWORD },
      config,
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
