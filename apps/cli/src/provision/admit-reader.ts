import { isDid, methodOf } from '@ssb/identity';
import { readSettings } from '@ssb/platform';
import { renderFittedTable, standardError, standardOutput, StyledText } from '@ssb/platform/cli';
import { CommandError, EXIT } from '../exit.js';
import type { OutputOptions } from '../options.js';
import { printResult } from '../output/listing.js';
import { renderParts } from '../output/text.js';
import { brokerSettings, commandEnvironment } from '../settings.js';
import { openBroker } from './bus-clients.js';
import { cell, explainBus } from './bus-failures.js';
import { OUTCOMES } from './provision.js';
import { provisionReader, UnknownChannelError, type ProvisionedReader } from './provision-reader.js';
import { waitForBus } from './wait-for-bus.js';

export interface ReaderOptions extends OutputOptions {
  readonly channel: readonly string[];
  readonly check?: boolean;
  readonly timeout: number;
}

export async function admitReader(did: string, options: ReaderOptions): Promise<void> {
  await explainBus(() => admit(did, options));
}

async function admit(did: string, { channel, check = false, timeout, output }: ReaderOptions): Promise<void> {
  const settings = readSettings(brokerSettings, commandEnvironment());
  if (!isDid(did))
    throw new CommandError(
      `${cell(did)} is not a DID. Give that of the system's gateway, such as did:${settings.DID_METHOD}:0x… with 40 hexadecimal digits.`,
      EXIT.usage,
    );
  if (methodOf(did) !== settings.DID_METHOD)
    throw new CommandError(
      `The bus has DIDs of the method ${settings.DID_METHOD}. Give did:${settings.DID_METHOD}:0x….`,
      EXIT.usage,
    );
  const admin = await openBroker(settings);
  if (admin === undefined)
    throw new CommandError(
      `BROKER_URL, ISSUER_KEY_FILE and ISSUER_KEY_SECRET_FILE are not set. At an external bus, request from its administrator: the role ${settings.USER_ROLE} for ${did}, and ${did} as subscriber of ${channel.map(cell).join(', ')}.`,
      EXIT.configuration,
    );
  const wait = waitForBus(Date.now() + timeout, (line) => standardError.writeLine(line));
  const request = { did, channels: [...new Set(channel)], check };
  const provisioned = await provisionReader(settings, admin, wait, request).catch((error: unknown) => {
    if (!(error instanceof UnknownChannelError)) throw error;
    throw new CommandError(
      `The broker has no channel ${cell(error.channel)}, so nothing was changed. Give one that "busbridge provision" creates, or create it first.`,
    );
  });
  printResult(provisioned, output, renderReader);
  const isLeft = [provisioned.role, ...provisioned.channels].some(({ outcome }) => outcome === 'missing');
  if (isLeft) throw new CommandError('Repeat the command without --check.');
}

function renderReader({ did, role, channels, settings }: ProvisionedReader): StyledText {
  const { BROKER_URL, BROKER_AUDIENCE, DID_METHOD, USER_ROLE } = settings;
  const outcomes = [
    { what: 'role', subject: role.role, outcome: role.outcome },
    ...channels.map(({ channel, outcome }) => ({ what: 'subscriber', subject: channel, outcome })),
  ];
  const lines = [
    `For the owner of ${did}:`,
    'Settings of the gateway:',
    ...Object.entries({ BROKER_URL, BROKER_AUDIENCE, DID_METHOD, USER_ROLE }).map(
      ([name, value]) => `  ${name}=${value}`,
    ),
    'Enrolment, once: POST /api/v1/config/enrol at the gateway; GET /api/v1/config/enrol then has "ready": true.',
    'Channels and their topics:',
    ...channels.map(({ channel, topics }) => `  ${channel}: ${cell(topics.join(', ')) || 'default'}`),
    'Trusted senders: the file of "busbridge trust export".',
  ];
  return renderParts([
    ['', renderFittedTable(OUTCOMES, outcomes, standardOutput.width)],
    [
      '',
      StyledText.join(
        lines.map((line) => StyledText.of(line)),
        '\n',
      ),
    ],
  ]);
}
