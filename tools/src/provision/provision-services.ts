import { setTimeout as pause } from 'node:timers/promises';
import { GatewayClient, GatewayError } from '@ssb/bus';
import { EVENT_TYPES, schemaOf } from '@ssb/events';
import { addressOf, didOf, generatePrivateKey } from '@ssb/identity';
import { routeOf, type OperatorConfig } from '@ssb/operator-config';
import type { BrokerAdmin, ChannelDefinition } from './broker-admin.js';

/** A gateway did not become a user of the bus. */
export class EnrolmentError extends Error {
  override readonly name = 'EnrolmentError';
}

const USER_ROLE = 'user.roles.messagebus.apps.bridge.iam.local';
const ENROLMENT_TIMEOUT_MS = 15_000;

/** Gives a gateway an identity if it has none, enrols it, has the role approved, and waits until it is ready. */
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
    await pause(50);
    enrolment = await gateway.enrolment();
  }
  return did;
}

/** The DID of the gateway's identity; a new key is set when it has none. */
export async function ensureIdentity(gateway: GatewayClient): Promise<string> {
  try {
    return didOf(addressOf((await gateway.identity()).publicKey));
  } catch (error) {
    if (!(error instanceof GatewayError) || error.kind !== 'NO_PRIVATE_KEY') throw error;
    const identity = await gateway.setIdentity(generatePrivateKey().toHex());
    return didOf(addressOf(identity.publicKey));
  }
}

/** The channels that the operator's routes need, each topic with its event type's schema. */
export function channelsOf(
  config: OperatorConfig,
  { publishers, subscribers }: Pick<ChannelDefinition, 'publishers' | 'subscribers'>,
): ChannelDefinition[] {
  const topics = new Map<string, { namespace: string; schema: string }[]>();
  for (const type of EVENT_TYPES) {
    const route = routeOf(config, type);
    if (route === undefined) continue;
    const topic = { namespace: route.topic, schema: JSON.stringify(schemaOf(type)) };
    topics.set(route.channel, [...(topics.get(route.channel) ?? []), topic]);
  }
  return [...topics].map(([fqcn, each]) => ({ fqcn, topics: each, publishers, subscribers }));
}
