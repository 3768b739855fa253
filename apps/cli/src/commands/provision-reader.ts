import { isDid, methodOf } from '@ssb/identity';
import { readSettings, renderTable, standardError } from '@ssb/platform';
import { Command } from 'commander';
import { explainFailures, fail } from '../fail.js';
import { print } from '../print.js';
import { openBroker } from '../provision/bus-clients.js';
import { cell, failForBus } from '../provision/bus-failures.js';
import {
  provisionReader,
  UnknownChannelError,
  type ProvisionedReader,
} from '../provision/provision-reader.js';
import { busTimeout, waitForBus } from '../provision/wait-for-bus.js';
import { collectNames } from '../options.js';
import { brokerSettings, commandEnvironment } from '../settings.js';

interface ReaderOptions {
  readonly channel: readonly string[];
  readonly check?: boolean;
  readonly timeout: number;
  readonly json: boolean;
}

const HELP = `
It works with our own broker: BROKER_URL, ISSUER_KEY_FILE and ISSUER_KEY_SECRET_FILE must be set. It approves the role USER_ROLE of the DID, and adds
the DID to the subscribers of each channel. A channel without subscribers is open to every holder of the role, and stays so. It then prints the settings
for the owner of the gateway.
Exit status: 0 when nothing is left to do, else 1.

Examples:
  busbridge provision reader did:ethr:0x… --channel prudential.channels.bridge.apps.participant.iam.market
  busbridge provision reader did:ethr:0x… --channel <fqcn> --channel <fqcn> --json
  busbridge provision reader did:ethr:0x… --channel <fqcn> --check       # changes nothing
`;

/** `busbridge provision reader`. */
export function provisionReaderCommand(): Command {
  return new Command('reader')
    .description('Admits the gateway of a downstream system: its role, and the channels that it may read.')
    .argument('<did>', "DID of the system's gateway")
    .requiredOption('--channel <fqcn>', 'a channel that it may read; repeatable', collectNames)
    .option('--check', 'change nothing; print what is left to do')
    .addOption(busTimeout('the broker'))
    .option('--json', 'print JSON', false)
    .addHelpText('after', HELP)
    .action((did: string, options: ReaderOptions) =>
      explainFailures(() => admit(did, options).catch((error: unknown) => failForReader(error))),
    );
}

async function admit(did: string, { channel, check = false, timeout, json }: ReaderOptions): Promise<void> {
  const settings = readSettings(brokerSettings, commandEnvironment());
  if (!isDid(did))
    return fail(
      `${cell(did)} is not a DID. Give that of the system's gateway, such as did:${settings.DID_METHOD}:0x… with 40 hexadecimal digits.`,
    );
  if (methodOf(did) !== settings.DID_METHOD)
    return fail(
      `The bus has DIDs of the method ${settings.DID_METHOD}. Give did:${settings.DID_METHOD}:0x….`,
    );
  const admin = await openBroker(settings);
  if (admin === undefined)
    return fail(
      `BROKER_URL, ISSUER_KEY_FILE and ISSUER_KEY_SECRET_FILE are not set. At an external bus, request from its administrator: the role ${settings.USER_ROLE} for ${did}, and ${did} as subscriber of ${channel.map(cell).join(', ')}.`,
    );
  const wait = waitForBus(Date.now() + timeout, (line) => standardError.writeLine(line));
  const request = { did, channels: [...new Set(channel)], check };
  const provisioned = await provisionReader(settings, admin, wait, request);
  print(provisioned, json, renderReader);
  const isLeft = [provisioned.role, ...provisioned.channels].some(({ outcome }) => outcome === 'missing');
  if (isLeft) fail('Repeat the command without --check.');
}

function renderReader({ did, role, channels, settings }: ProvisionedReader): string {
  const { BROKER_URL, BROKER_AUDIENCE, DID_METHOD, USER_ROLE } = settings;
  const outcomes = renderTable(
    ['what', 'subject', 'outcome'],
    [
      ['role', role.role, role.outcome],
      ...channels.map(({ channel, outcome }) => ['subscriber', channel, outcome]),
    ],
  );
  const lines = Object.entries({ BROKER_URL, BROKER_AUDIENCE, DID_METHOD, USER_ROLE });
  const topics = channels.map(
    ({ channel, topics }) => `  ${channel}: ${cell(topics.join(', ')) || 'default'}`,
  );
  return [
    outcomes,
    '',
    `For the owner of ${did}:`,
    'Settings of the gateway:',
    ...lines.map(([name, value]) => `  ${name}=${value}`),
    'Enrolment, once: POST /api/v1/config/enrol at the gateway; GET /api/v1/config/enrol then has "ready": true.',
    'Channels and their topics:',
    ...topics,
    'Trusted senders: the file of "busbridge trust export".',
  ].join('\n');
}

/** @throws any other error */
function failForReader(error: unknown): void {
  if (error instanceof UnknownChannelError)
    return fail(
      `The broker has no channel ${cell(error.channel)}, so nothing was changed. Give one that "busbridge provision" creates, or create it first.`,
    );
  failForBus(error);
}
