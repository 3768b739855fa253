import { readFileSync } from 'node:fs';
import { createAuthority, type Authority, type Credential } from '@ssb/dev/certificates';
import { IpNetworks } from '@ssb/net';
import { readHeaders, readParts, startSmtpReceiver, type SmtpReceiver } from '@ssb/testing/sinks';
import type { SinkMessage } from '../alert-sink.js';
import { EmailSink, type EmailSinkOptions } from './email-sink.js';

const TYPE = 'settlementbus.margin.breached.v1';
const EXAMPLE = readFileSync(
  new URL(`../../../../../../../libs/events/examples/${TYPE}.json`, import.meta.url),
  'utf8',
);
const NEVER_ABORTED = new AbortController().signal;
const PASSWORD = 's3cret of the mail server';

const BREACH: SinkMessage = {
  eventId: '6f1c0b3e-2f4f-4d3e-9a66-0c2f5d1f7a10',
  kind: 'alert',
  severity: 'critical',
  problemId: 'd0c8a1f2-7a53-4c0b-8f39-5d1f0c1c2a77',
  problemState: 'open',
  marks: [],
  replayed: false,
  type: TYPE,
  subject: 'ALPHA/prudential',
  participant: 'ALPHA',
  text: EXAMPLE,
};

/** The same event with another margin. */
const withMargin = (tradingMargin: string, more: object = {}): string => {
  const event = JSON.parse(EXAMPLE) as { data: object };
  return JSON.stringify({ ...event, ...more, data: { ...event.data, tradingMargin } });
};

describe('EmailSink', () => {
  let authority: Authority;
  let credential: Credential;
  let receiver: SmtpReceiver | undefined;
  let sink: EmailSink | undefined;

  beforeAll(async () => {
    authority = await createAuthority({ name: 'mail', now: new Date() });
    credential = await authority.issue({ commonName: 'localhost', hosts: ['localhost'] });
  });
  afterEach(async () => {
    await sink?.close();
    await receiver?.close();
    [sink, receiver] = [undefined, undefined];
  });

  async function open(
    server: Parameters<typeof startSmtpReceiver>[0] = {},
    change: Partial<EmailSinkOptions> = {},
  ): Promise<EmailSink> {
    receiver = await startSmtpReceiver({
      ...credential,
      onAuth: ({ username, password }, _, done) =>
        password === PASSWORD ? done(null, { user: username ?? '' }) : done(new Error('wrong password')),
      ...server,
    });
    sink = new EmailSink('treasury', {
      host: 'localhost',
      port: receiver.port,
      security: 'starttls',
      username: 'bridge',
      password: () => PASSWORD,
      from: 'bridge@example.org',
      to: ['treasury@example.org', 'desk@example.org'],
      consoleUrl: 'https://console.example.org/bridge/',
      timeoutMs: 20_000,
      connections: 2,
      connection: { tls: { ca: authority.cert } },
      ...change,
    });
    return sink;
  }
  const send = (message: Partial<SinkMessage> = {}, signal = NEVER_ABORTED) =>
    sink?.deliver({ ...BREACH, ...message }, signal);

  it('sends a mail in a thread of the problem, over STARTTLS and with authentication', async () => {
    await open();
    expect(await send()).toMatchObject({ kind: 'delivered', status: 250 });
    const [mail] = receiver?.mails ?? [];
    expect(mail).toMatchObject({
      from: 'bridge@example.org',
      to: ['treasury@example.org', 'desk@example.org'],
      secure: true,
      user: 'bridge',
    });
    const headers = readHeaders(mail?.source ?? '');
    const thread = `<problem.${BREACH.problemId}@example.org>`;
    expect(Object.fromEntries(headers)).toMatchObject({
      subject:
        'CRITICAL ALPHA: Breach of the trading margin has become deeper, from 95,000 AUD to -60,000.5 AUD',
      'message-id': `<${BREACH.eventId}@example.org>`,
      'in-reply-to': thread,
      references: thread,
      'auto-submitted': 'auto-generated',
    });
  });

  it('says in both parts what happened, with every digit, what to do, and where to look', async () => {
    await open();
    await send({ text: withMargin('-12345678901234567890123.12345678'), marks: ['late'] });
    const [plain = '', html = ''] = readParts(receiver?.mails[0]?.source ?? '');
    for (const part of [plain, html]) {
      expect(part).toContain('-12,345,678,901,234,567,890,123.12345678 AUD');
      expect(part).toContain('12,345,678,901,234,567,985,123.12345678 AUD');
      expect(part).toContain('Provide more cash or credit support.');
      expect(part).toContain('2026-03-02 14:00:00 market time (UTC+8)');
      expect(part).toContain(`https://console.example.org/bridge/problems/${BREACH.problemId}`);
      expect(part).toContain('This fact is old');
      expect(part).not.toMatch(/digest|traceparent|\{/);
    }
    expect(html).not.toContain('<script');
  });

  it('lets no text of an event become a header, a recipient or HTML', async () => {
    const participant = 'A\r\nBcc: thief@example.org\r\n\r\n<script>alert(1)</script>\u202e';
    await open();
    await send({ text: withMargin('-1', { participant }) });
    const [mail] = receiver?.mails ?? [];
    expect(mail?.to).toEqual(['treasury@example.org', 'desk@example.org']);
    expect([...readHeaders(mail?.source ?? '').keys()]).not.toContain('bcc');
    const [, html = ''] = readParts(mail?.source ?? '');
    expect(html).not.toMatch(/<script|\u202e/);
  });

  it('sends with TLS from the start, and without any to a server on loopback', async () => {
    await open({ secure: true }, { security: 'implicit' });
    expect(await send()).toMatchObject({ kind: 'delivered' });
    await receiver?.close();
    await open({ disabledCommands: ['STARTTLS', 'AUTH'] }, { security: 'none', username: undefined });
    expect(await send()).toMatchObject({ kind: 'delivered' });
    expect(receiver?.mails[0]?.secure).toBe(false);
  });

  it.each<[string, Parameters<typeof startSmtpReceiver>[0], Partial<EmailSinkOptions>, object]>([
    ['no STARTTLS offered', { disabledCommands: ['STARTTLS'] }, {}, { kind: 'rejected', permanent: true }],
    ['an unknown authority', {}, { connection: {} }, { kind: 'unreachable' }],
    ['a wrong password', {}, { password: () => 'wrong' }, { kind: 'rejected', status: 535, permanent: true }],
    [
      'another network',
      {},
      { connection: { allowedNetworks: IpNetworks.parse(['10.0.0.0/8']) } },
      { kind: 'network-not-allowed' },
    ],
    [
      'a busy server',
      { onMailFrom: (_, __, done) => done(Object.assign(new Error('later'), { responseCode: 451 })) },
      {},
      { kind: 'rejected', status: 451, permanent: false },
    ],
    [
      'an unknown recipient',
      { onRcptTo: (_, __, done) => done(Object.assign(new Error('who'), { responseCode: 550 })) },
      {},
      { kind: 'rejected', status: 550, permanent: true },
    ],
    ['no response in time', { onMailFrom: () => undefined }, { timeoutMs: 300 }, { kind: 'timeout' }],
  ])('does not send with %s', async (_, server, change, expected) => {
    await open(server, change);
    const outcome = await send();
    expect(outcome).toMatchObject(expected);
    expect(receiver?.mails).toEqual([]);
    expect(JSON.stringify(outcome)).not.toContain(PASSWORD);
  });

  it('names the recipients that the server refuses while it accepts others', async () => {
    await open({
      onRcptTo: ({ address }, _, done) =>
        address.startsWith('desk') ? done(Object.assign(new Error('who'), { responseCode: 550 })) : done(),
    });
    expect(await send()).toMatchObject({
      kind: 'delivered',
      response: expect.stringContaining('refused recipients: desk@example.org') as string,
    });
  });

  it('ends at once when it is aborted or closed', async () => {
    let waiting = () => undefined as void;
    const reached = () => new Promise<void>((resolve) => (waiting = resolve));
    const server = { onMailFrom: () => waiting() };
    await open(server);
    const controller = new AbortController();
    let stuck = reached();
    const aborted = send({}, controller.signal);
    await stuck;
    controller.abort();
    expect(await aborted).toEqual({ kind: 'unreachable', detail: 'aborted' });
    stuck = reached();
    const closed = send();
    await stuck;
    await sink?.close();
    expect(await closed).toMatchObject({ kind: 'unreachable' });
  });
});
