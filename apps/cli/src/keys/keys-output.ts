import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEPLOYMENT_FILES, readDids, SANDBOX_TLS_FOLDER } from '@ssb/keys/deployment';
import { ENCRYPTION_SECRET_FILE, fingerprintOf, KEY_FILES, type KeyFolder, type KeyReport } from '@ssb/keys';
import type { OpenPath } from '@ssb/platform';
import { renderFittedTable, type Column, type StyledText } from '@ssb/platform/cli';
import { stringify } from 'yaml';
import { renderFields, renderParts, showTime } from '../output/text.js';

/** Printed by the commands. Contains no secrets. */
export interface KeysOutput {
  readonly folder: string;
  readonly keys: readonly KeyReport[];
  readonly files: readonly {
    readonly file: string;
    readonly setting: string;
    readonly fingerprint?: string;
  }[];
  /** DIDs of all origin keys, the oldest first. */
  readonly originDids: readonly string[];
  /** Variables of the configuration that follow from the keys. */
  readonly values: Readonly<Record<string, string>>;
  /** Files and folders that other users can access. */
  readonly wideModes: readonly OpenPath[];
  /** Files that the command has created, and users files to which it has added a password. */
  readonly written?: readonly string[];
  /** Versions that the command has dropped, by key. */
  readonly dropped?: Readonly<Record<string, readonly number[]>>;
}

export async function listKeys(folder: KeyFolder): Promise<KeysOutput> {
  const keys = (await folder.report(new Date())).filter(({ versions }) => versions.length > 0);
  const secretFile = join(folder.path, ENCRYPTION_SECRET_FILE);
  const files = [
    {
      file: ENCRYPTION_SECRET_FILE,
      setting: 'ORIGIN_KEY_SECRET_FILE of the bus-publisher',
      fingerprint: existsSync(secretFile)
        ? fingerprintOf(readFileSync(secretFile, 'utf8').trim())
        : undefined,
    },
    ...Object.values(KEY_FILES).flatMap((each) => each.files),
    ...DEPLOYMENT_FILES.map(({ file, setting }) => ({ file, setting })),
  ];
  const originDids = keys.flatMap(({ versions }) => versions.flatMap(({ did }) => did ?? []));
  return {
    folder: folder.path,
    keys,
    files: files.filter(({ file }) => existsSync(join(folder.path, file))),
    originDids,
    values: {
      ...(await readDids(folder.path)),
      ...(originDids.length > 0 && { BRIDGE_ORIGIN_DID: originDids.join(',') }),
    },
    wideModes: folder.findOpenPaths([...DEPLOYMENT_FILES.map(({ file }) => file), SANDBOX_TLS_FOLDER]),
  };
}

/** The variables, for the values of the chart. They are copied, so none is cut. */
export const renderValues = ({ values }: KeysOutput): StyledText => renderFields(Object.entries(values));

/** The same as a file for `helm install --values`. */
export function renderChartValues({ values, originDids }: KeysOutput): string {
  const { PUBLISHER_GATEWAY_DID: gateway, ROLE_ISSUERS: issuer } = values;
  return stringify({
    config: { trusted: { ...(gateway !== undefined && { gateways: [gateway] }), origins: originDids } },
    ...(issuer !== undefined && { broker: { issuers: [issuer] } }),
  });
}

/** Tables of versions and files, and the variables. */
export function renderKeys(output: KeysOutput, width: number | undefined): StyledText {
  const { folder, keys, files } = output;
  const versions = keys.flatMap(({ name, versions }) => versions.map((each) => ({ name, ...each })));
  const isPending = versions.some(({ state }) => state === 'pending');
  const columns = isPending ? [KEY, VERSION, ACTIVE_FROM, IDENTITY] : [KEY, VERSION, IDENTITY];
  return renderParts([
    [`Keys in ${folder}:`, renderFittedTable(columns, versions, width)],
    ['', renderFittedTable(FILES, files, width)],
    ['', renderValues(output)],
  ]);
}

type VersionColumn = Column<KeyReport['versions'][number] & { readonly name: string }>;

const KEY: VersionColumn = { head: 'key', cell: ({ name }) => name };
/** With its state, which leaves room for a DID. */
const VERSION: VersionColumn = {
  head: 'version',
  cell: ({ version, state }) => `${version} ${state}`,
  style: ({ state }) => (state === 'pending' ? 'warning' : undefined),
  whole: true,
};
const ACTIVE_FROM: VersionColumn = {
  head: 'active from',
  cell: ({ state, activeFrom }) => (state === 'pending' ? showTime(activeFrom.toISOString()) : ''),
  rank: 1,
  whole: true,
};
/** People compare it with that of another folder. */
const IDENTITY: VersionColumn = {
  head: 'DID or fingerprint',
  cell: ({ did, fingerprint }) => did ?? fingerprint,
  whole: true,
};

const FILES: readonly Column<KeysOutput['files'][number]>[] = [
  { head: 'file', cell: ({ file }) => file },
  { head: 'fingerprint', cell: ({ fingerprint }) => fingerprint, whole: true },
  { head: 'setting', cell: ({ setting }) => setting },
];

/** What the command changed, and what to do with it. Empty after `show`. */
export function renderChanges({ keys, written, dropped, originDids }: KeysOutput): string {
  const lines: string[] = [];
  if (written !== undefined)
    lines.push(written.length === 0 ? 'All files exist; none was created.' : `Wrote ${written.join(', ')}.`);
  for (const [name, versions] of Object.entries(dropped ?? {}))
    if (versions.length > 0) lines.push(`${name}: dropped version ${versions.join(', ')}.`);
  if (dropped !== undefined) lines.push('Distribute the changed files to the apps that use them.');
  const origin = keys.find(({ name }) => name === 'origin');
  if (written?.includes('origin.key') || dropped?.['origin'] !== undefined) {
    const pending = origin?.versions.find(({ state }) => state === 'pending');
    lines.push(
      `Origins of the bridge: ${originDids.join(', ')}. List each under origins of every channel in senders (CONFIG_FILE of the subscribers)${
        pending === undefined ? '' : ` before ${pending.activeFrom.toISOString()}`
      }. Remove an older origin only when no message of it is left on the bus.`,
    );
  }
  return lines.join('\n');
}
