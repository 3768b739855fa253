import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { generatePrivateKey } from '@ssb/identity';
import { signedEvent } from '@ssb/testing/signed-messages';

/** A request to a webhook receiver, and what the receiver must say about it. */
export interface MixedWebhook {
  readonly id: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly expected: { readonly event: string } | { readonly reason: string };
}

const newSecret = (): string => `whsec_${randomBytes(24).toString('base64')}`;
const MAX_AGE_SECONDS = 300;

/** The present secret and the one that it replaces. */
export const SECRETS = [newSecret(), newSecret()] as const;

/** Webhooks of which every third is hostile. */
export function mixWebhooks(count: number): MixedWebhook[] {
  const attacks = listAttacks();
  return Array.from({ length: count }, (_, number) => {
    const attack = attacks[Math.floor(number / 3) % attacks.length];
    return number % 3 === 2 && attack !== undefined ? attack(number) : genuine(number);
  });
}

function listAttacks(): ((number: number) => MixedWebhook)[] {
  const stranger = newSecret();
  const strangerKey = generatePrivateKey();
  const now = Math.floor(Date.now() / 1_000);
  return [
    (number) => sign(number, { body: eventText(number), secrets: [stranger], reason: 'signature' }),
    (number) => ({
      ...genuine(number),
      body: eventText(number).replace('BREACHED', 'WARNING'),
      expected: { reason: 'signature' },
    }),
    (number) =>
      sign(number, { body: eventText(number), time: now - 2 * MAX_AGE_SECONDS, reason: 'timestamp' }),
    (number) => ({ ...genuine(number), headers: {}, expected: { reason: 'headers' } }),
    (number) => sign(number, { body: '[]', reason: 'not-an-event' }),
    (number) =>
      sign(number, { body: eventText(number).replace('BREACHED', 'WARNING'), reason: 'origin-proof' }),
    (number) =>
      sign(number, {
        body: JSON.stringify(signedEvent({ ...factOf(number), origin: strangerKey })),
        reason: 'origin-not-allowed',
      }),
  ];
}

function genuine(number: number): MixedWebhook {
  const event = signedEvent(factOf(number));
  return sign(number, { body: JSON.stringify(event), event: String(event['id']) });
}

interface Signing {
  readonly body: string;
  readonly event?: string;
  readonly reason?: string;
  readonly secrets?: readonly string[];
  /** Seconds since 1970. */
  readonly time?: number;
}

/** Signs as Standard Webhooks says. */
function sign(number: number, { body, event, reason = '', secrets, time }: Signing): MixedWebhook {
  const id = event ?? randomUUID();
  const timestamp = String(time ?? Math.floor(Date.now() / 1_000));
  // While a secret is replaced, a request has several signatures.
  const used = secrets ?? (number % 2 === 0 ? SECRETS : [SECRETS[1]]);
  const signatures = used.map((secret) => {
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return {
    id,
    headers: {
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': signatures.join(' '),
      'bridge-kind': 'alert',
    },
    body,
    expected: event === undefined ? { reason } : { event },
  };
}

const eventText = (number: number): string => JSON.stringify(signedEvent(factOf(number)));

/** Each number is another fact. */
function factOf(number: number): Parameters<typeof signedEvent>[0] {
  const calculatedAt = new Date(Date.UTC(2026, 3, 2) + number * 1_000).toISOString().slice(0, 19);
  return { fact: { calculatedAt } };
}
