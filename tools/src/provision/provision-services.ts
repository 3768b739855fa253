import { type GatewayClient, GatewayError } from '@ssb/bus';
import { buildEventSchema } from '@ssb/events';
import { addressOf, didOf, generatePrivateKey } from '@ssb/identity';
import { listTopics, type OperatorConfig } from '@ssb/operator-config';
import { readSecretFile } from '@ssb/platform';
import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import type { SystemPlan } from '../system/environments.js';
import type { BrokerAdmin, ChannelDefinition } from './broker-admin.js';

/** The token service's admin API refused an account. */
export class AccountError extends Error {
  override readonly name = 'AccountError';
}

/** A gateway did not become a user of the bus in time. */
export class EnrolmentError extends Error {
  override readonly name = 'EnrolmentError';
}

/**
 * Creates the accounts of the participant and the operator at the running token service. May be repeated; a disabled account stays
 * disabled.
 * @throws AccountError
 */
export async function ensureMarketAccounts({ participant, ports, secrets }: SystemPlan): Promise<void> {
  const url = `http://127.0.0.1:${ports['token-admin']}/admin/v1/accounts`;
  const authorization = `Bearer ${(await readSecretFile(secrets.tokenAdminFile)).toString()}`;
  const accounts = [
    {
      ...secrets.participantClient,
      scopes: [`PRUDENTIAL|${participant}|R`, `SETTLEMENT|${participant}|R`],
    },
    { ...secrets.operatorClient, scopes: ['MARKETRECORDS|OPERATOR|CR', 'MARKETFAULTS|OPERATOR|CRD'] },
  ];
  for (const { id: clientId, secret, scopes } of accounts) {
    const response = await request(url, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ clientId, secret, scopes, bound: false, ifExists: 'replace' }),
    });
    const text = await response.body.text();
    if (response.statusCode >= 300)
      throw new AccountError(`the account ${clientId} could not be created: ${response.statusCode} ${text}`);
  }
}

const USER_ROLE = 'user.roles.messagebus.apps.bridge.iam.local';
const ENROLMENT_TIMEOUT_MS = 15_000;
const ENROLMENT_POLL_MS = 50;

/**
 * Gives a gateway an identity if it has none, enrols it, approves its role, and waits until it is ready.
 * @returns the DID of the gateway
 * @throws EnrolmentError when it is not ready in time
 */
export async function enrolGateway(gateway: GatewayClient, admin: BrokerAdmin): Promise<string> {
  const did = await ensureIdentity(gateway);
  let enrolment = await gateway.enrolment();
  if (enrolment.state.ready) return did;
  enrolment = await gateway.enrol();
  if (!enrolment.state.ready) await admin.approve(enrolment.did, USER_ROLE);
  const deadline = Date.now() + ENROLMENT_TIMEOUT_MS;
  while (!enrolment.state.ready) {
    if (Date.now() > deadline)
      throw new EnrolmentError(`${did} was not ready ${ENROLMENT_TIMEOUT_MS / 1000} s after its approval`);
    await delay(ENROLMENT_POLL_MS);
    enrolment = await gateway.enrolment();
  }
  return did;
}

/** Sets a new key if the gateway has none. @returns the DID of the gateway */
async function ensureIdentity(gateway: GatewayClient): Promise<string> {
  try {
    return didOf(addressOf((await gateway.identity()).publicKey));
  } catch (error) {
    if (!(error instanceof GatewayError) || error.kind !== 'NO_PRIVATE_KEY') throw error;
    const identity = await gateway.setIdentity(generatePrivateKey().toHex());
    return didOf(addressOf(identity.publicKey));
  }
}

/** The channels of the operator's routes. Each topic has the schema of its event type, each channel the largest limit of its routes. */
export function buildChannels(
  config: OperatorConfig,
  { publishers, subscribers }: Pick<ChannelDefinition, 'publishers' | 'subscribers'>,
): ChannelDefinition[] {
  const topicsByChannel = new Map<string, { namespace: string; schema: string }[]>();
  for (const { channel, topic: namespace, type } of listTopics(config)) {
    const topic = { namespace, schema: JSON.stringify(buildEventSchema(type)) };
    topicsByChannel.set(channel, [...(topicsByChannel.get(channel) ?? []), topic]);
  }
  return [...topicsByChannel].map(([fqcn, topics]) => {
    const limits = config.routes
      .filter(({ channel }) => channel === fqcn)
      .map((each) => each.maxMessageBytes);
    return { fqcn, topics, publishers, subscribers, maxMsgSize: Math.max(...limits) };
  });
}
