import { BrokerAdminError, findAccess, type BrokerAdmin } from '@ssb/bus/provisioning';
import type { BrokerSettings } from './bus-clients.js';
import type { WaitForBus } from './wait-for-bus.js';

export interface ReaderRequest {
  readonly did: string;
  readonly channels: readonly string[];
  /** Changes nothing. */
  readonly check: boolean;
}

/** `unchanged`: it was so before. `missing`: a check found it. `open`: every holder of the role may read. */
type Outcome = 'changed' | 'unchanged' | 'missing' | 'open';

/** What the owner of the reader's gateway needs. */
export interface ReaderSettings {
  /** Of its gateway. */
  readonly BROKER_URL: string;
  readonly BROKER_AUDIENCE: string;
  readonly DID_METHOD: string;
  /** The role that its gateway requests with `POST /api/v1/config/enrol`. */
  readonly USER_ROLE: string;
}

export interface ProvisionedReader {
  readonly did: string;
  readonly role: { readonly role: string; readonly outcome: Outcome };
  readonly channels: readonly {
    readonly channel: string;
    readonly outcome: Outcome;
    readonly topics: readonly string[];
  }[];
  readonly settings: ReaderSettings;
}

/** The broker has no such channel. */
export class UnknownChannelError extends Error {
  override readonly name = 'UnknownChannelError';

  constructor(readonly channel: string) {
    super(`The broker has no channel ${channel}.`);
  }
}

/** Gives a gateway of others the role of users, and adds it to the subscribers of channels. A repeat changes nothing. */
export async function provisionReader(
  settings: BrokerSettings,
  admin: BrokerAdmin,
  wait: WaitForBus,
  { did, channels, check }: ReaderRequest,
): Promise<ProvisionedReader> {
  const { BROKER_URL = '', BROKER_AUDIENCE, DID_METHOD, USER_ROLE } = settings;
  // An unknown channel ends the command before anything is changed.
  const found = [];
  for (const channel of channels) found.push(await readChannel(admin, wait, channel));
  const state = await wait('broker', () => admin.findRoleState(did));
  const isRoleMissing = state !== 'APPROVED';
  if (isRoleMissing && !check) await wait('broker', () => admin.approve(did));
  const results: ProvisionedReader['channels'][number][] = [];
  for (const { fqcn, topics = [], ...channel } of found) {
    const access = findAccess(channel, did);
    if (access === 'missing' && !check) await wait('broker', () => admin.ensureSubscriber(fqcn, did));
    const outcome = access === 'open' ? 'open' : toOutcome(access === 'missing', check);
    results.push({ channel: fqcn, outcome, topics: topics.map(({ namespace }) => namespace) });
  }
  return {
    did,
    role: { role: USER_ROLE, outcome: toOutcome(isRoleMissing, check) },
    channels: results,
    settings: { BROKER_URL, BROKER_AUDIENCE, DID_METHOD, USER_ROLE },
  };
}

const toOutcome = (isMissing: boolean, check: boolean): Outcome => {
  if (!isMissing) return 'unchanged';
  return check ? 'missing' : 'changed';
};

async function readChannel(admin: BrokerAdmin, wait: WaitForBus, channel: string) {
  try {
    return { ...(await wait('broker', () => admin.readChannel(channel))), fqcn: channel };
  } catch (error) {
    if (error instanceof BrokerAdminError && error.status === 404) throw new UnknownChannelError(channel);
    throw error;
  }
}
