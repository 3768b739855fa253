import type { GatewayClient } from '@ssb/bus';
import {
  buildChannels,
  enrolGateway,
  findGatewayTasks,
  isEnrolled,
  readGateway,
  type BrokerAdmin,
  type BusTask,
  type GatewayResponses,
} from '@ssb/bus/provisioning';
import type { OperatorConfig } from '@ssb/config';
import { SIDES, type ProvisionSettings, type Side } from './bus-clients.js';
import type { WaitForBus } from './wait-for-bus.js';

export interface BusContext {
  readonly settings: ProvisionSettings;
  readonly config: OperatorConfig;
  readonly gateways: Readonly<Record<Side, GatewayClient>>;
  readonly wait: WaitForBus;
}

export interface ProvisionedBus {
  readonly gateways: Readonly<Record<Side, string>>;
  readonly channels: readonly {
    readonly channel: string;
    readonly outcome: 'created' | 'updated' | 'unchanged';
  }[];
}

/** Enrols both gateways at our own broker, and creates or extends the channels of the configuration. */
export async function provisionBus(context: BusContext, admin: BrokerAdmin): Promise<ProvisionedBus> {
  const { gateways, wait } = context;
  const enrol = (side: Side): Promise<string> =>
    wait(`gateway of the ${side}`, () => enrolGateway(gateways[side], admin));
  const dids = { publisher: await enrol('publisher'), subscriber: await enrol('subscriber') };
  const channels: { channel: string; outcome: 'created' | 'updated' | 'unchanged' }[] = [];
  for (const channel of buildChannels(context.config, membersOf(context, dids))) {
    const outcome = await wait('broker', () => admin.ensureChannel(channel));
    channels.push({ channel: channel.fqcn, outcome });
  }
  return { gateways: dids, channels };
}

export interface CheckedBus {
  readonly gateways: Readonly<Record<Side, string | undefined>>;
  /** What is left to do. */
  readonly tasks: readonly BusTask[];
}

/**
 * Reads through both gateways what an external bus lacks. Changes nothing there.
 * @param enrol requests the role of a gateway that has not requested it
 */
export async function checkBus(context: BusContext, enrol: boolean): Promise<CheckedBus> {
  const { gateways, wait, settings, config } = context;
  const read = (side: Side): Promise<GatewayResponses> =>
    wait(`gateway of the ${side}`, async () => {
      const responses = await readGateway(gateways[side]);
      if (!enrol || responses.enrolment === undefined || isEnrolled(responses.enrolment)) return responses;
      await gateways[side].enrol();
      return readGateway(gateways[side]);
    });
  const responses = { publisher: await read('publisher'), subscriber: await read('subscriber') };
  const dids = {
    publisher: responses.publisher.enrolment?.did,
    subscriber: responses.subscriber.enrolment?.did,
  };
  const channels = buildChannels(config, membersOf(context, dids));
  const tasks = SIDES.flatMap((side) =>
    findGatewayTasks(responses[side], { side, userRole: settings.USER_ROLE, channels }),
  );
  return { gateways: dids, tasks: withoutRepeats(tasks) };
}

function membersOf(
  { settings }: BusContext,
  { publisher, subscriber }: Readonly<Record<Side, string | undefined>>,
): { publishers: string[]; subscribers: string[] } {
  const known = (did: string | undefined): string[] => (did === undefined ? [] : [did]);
  return {
    publishers: [...new Set([...known(publisher), ...settings.CHANNEL_PUBLISHERS])],
    subscribers: [...new Set([...known(subscriber), ...settings.CHANNEL_SUBSCRIBERS])],
  };
}

/** Both gateways show the same channel. A task for it that one of them could decide replaces the condition of the other. */
function withoutRepeats(tasks: readonly BusTask[]): BusTask[] {
  const byKey = new Map<string, BusTask>();
  for (const task of tasks) {
    const key = `${task.what} ${task.subject}`;
    if (!byKey.has(key)) byKey.set(key, task);
  }
  return [...byKey.values()];
}
