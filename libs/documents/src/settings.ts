import {
  choice,
  ConfigurationError,
  databaseSettings,
  defineSettings,
  FileWatcher,
  httpUrl,
  integer,
  optional,
  postgresUrl,
  text,
  type Logger,
  type OutgoingConnections,
  type SettingsOf,
} from '@ssb/platform';
import type { Database } from '@ssb/postgres';
import type { DocumentStore } from './document-store.js';
import { FolderStorage } from './objects/folder-storage.js';
import { ObjectDocumentStore } from './objects/object-document-store.js';
import { S3Storage, type S3Credentials } from './objects/s3-storage.js';
import { PostgresDocumentStore } from './postgres-document-store.js';

/** Where the documents are. The same for the pollers and the API. */
export const documentStoreSettings = defineSettings({
  DOCUMENT_STORE: {
    schema: choice(['postgres', 'folder', 's3', 'none']),
    default: 'postgres',
    doc: 'Where the PDFs of invoices are stored: in the database, a folder, or an S3-compatible storage; the same for pollers and API. With none, no document is fetched.',
  },
  DOCUMENT_FOLDER: {
    schema: optional(text('the path of a folder')),
    doc: 'Folder of the documents, with DOCUMENT_STORE=folder. The poller creates it. Pollers and API share it, with one user of the operating system.',
  },
  DOCUMENT_S3_URL: {
    schema: optional(httpUrl({ tls: true })),
    doc: 'Address of the bucket, with DOCUMENT_STORE=s3: `https://storage.example/bucket`, or `https://bucket.storage.example`.',
  },
  DOCUMENT_S3_REGION: {
    schema: text('the name of a region'),
    default: 'us-east-1',
    doc: 'Region in the signature of the requests to DOCUMENT_S3_URL.',
  },
  DOCUMENT_S3_ACCESS_KEY_FILE: {
    schema: optional(text('the path of a file')),
    doc: 'File with the id of the access key of the storage. Read again every TLS_RELOAD_INTERVAL_MS.',
  },
  DOCUMENT_S3_SECRET_KEY_FILE: {
    schema: optional(text('the path of a file')),
    doc: 'File with the secret of that access key. Read again every TLS_RELOAD_INTERVAL_MS.',
  },
  DOCUMENT_S3_CA_FILE: {
    schema: optional(text('the path of a PEM file')),
    doc: "Certificate authorities of DOCUMENT_S3_URL (PEM); the system's when unset.",
  },
});

/** The settings of an app that stores documents, with the bounds of the store. */
export const documentWriterSettings = defineSettings({
  DATABASE_URL: {
    ...databaseSettings.DATABASE_URL,
    schema: optional(postgresUrl()),
    doc: "URL of the subscriber's database with the role poller, which only DOCUMENT_STORE=postgres needs; sslmode configures TLS.",
  },
  ...documentStoreSettings,
  DOCUMENT_MAX_BYTES: {
    schema: integer({ min: 1_024, max: 268_435_456 }),
    default: '16777216',
    doc: 'Maximum size of one document. A larger one is refused and reported.',
  },
  DOCUMENT_STORE_MAX_BYTES: {
    schema: integer({ min: 1_024, max: 1_125_899_906_842_624 }),
    default: '10737418240',
    doc: 'Maximum size of all documents. A full store refuses further ones, which is reported; it removes none of them.',
  },
  DOCUMENT_RETENTION_DAYS: {
    schema: integer({ min: 1, max: 36_500 }),
    default: '2557',
    doc: 'Days after which a document is removed; the default is seven years. The removal is logged and counted.',
  },
});

export type DocumentStoreSettings = SettingsOf<typeof documentStoreSettings>;

export interface DocumentStoreDependencies {
  readonly settings: DocumentStoreSettings & { readonly TLS_RELOAD_INTERVAL_MS: number };
  /** Opens the database of DOCUMENT_STORE=postgres. The store closes it. @throws ConfigurationError */
  readonly openDatabase: () => Database;
  readonly connections: Pick<OutgoingConnections, 'open'>;
  /** DOCUMENT_STORE_MAX_BYTES; absent for a store that is only read. */
  readonly maxBytes?: number;
  readonly log: Logger;
}

const S3_TIMEOUT_MS = 30_000;

/**
 * Opens the store of the settings, without a request to it.
 * @returns undefined with DOCUMENT_STORE=none
 * @throws ConfigurationError, or the file system's error
 */
export async function openDocumentStore(
  dependencies: DocumentStoreDependencies,
): Promise<DocumentStore | undefined> {
  const { settings, maxBytes } = dependencies;
  switch (settings.DOCUMENT_STORE) {
    case 'postgres':
      return new PostgresDocumentStore(dependencies.openDatabase(), maxBytes);
    case 'folder':
      return new ObjectDocumentStore(
        new FolderStorage(required(settings, 'DOCUMENT_FOLDER'), maxBytes !== undefined),
        maxBytes,
      );
    case 's3':
      return new ObjectDocumentStore(await openS3Storage(dependencies), maxBytes);
    case 'none':
      return undefined;
    default:
      return settings.DOCUMENT_STORE satisfies never;
  }
}

/** An S3 storage whose credentials are read again when their files change. */
class WatchedS3Storage extends S3Storage {
  constructor(
    private readonly watcher: FileWatcher,
    ...options: ConstructorParameters<typeof S3Storage>
  ) {
    super(...options);
  }

  override async close(): Promise<void> {
    await this.watcher.stop();
    await super.close();
  }
}

async function openS3Storage({
  settings,
  connections,
  log,
}: DocumentStoreDependencies): Promise<WatchedS3Storage> {
  const url = required(settings, 'DOCUMENT_S3_URL');
  const paths = [
    required(settings, 'DOCUMENT_S3_ACCESS_KEY_FILE'),
    required(settings, 'DOCUMENT_S3_SECRET_KEY_FILE'),
  ];
  let credentials: S3Credentials = { accessKeyId: '', secretAccessKey: '' };
  const watcher = new FileWatcher({
    paths,
    intervalMs: settings.TLS_RELOAD_INTERVAL_MS,
    apply: (contents) => {
      credentials = parseCredentials(paths, contents);
    },
    onApplied: () => log.info('document storage credentials reloaded'),
    onRefused: (err) => log.error({ err }, 'document storage credentials reload failed'),
  });
  const connection = await connections.open('documents', { ca: settings.DOCUMENT_S3_CA_FILE });
  await watcher.start();
  return new WatchedS3Storage(watcher, {
    url,
    region: settings.DOCUMENT_S3_REGION,
    credentials: () => credentials,
    connection,
    timeoutMs: S3_TIMEOUT_MS,
  });
}

function parseCredentials(paths: readonly string[], contents: readonly Buffer[]): S3Credentials {
  const [accessKeyId = '', secretAccessKey = ''] = contents.map((content) => content.toString('utf8').trim());
  const empty = [accessKeyId, secretAccessKey].indexOf('');
  if (empty >= 0)
    throw new ConfigurationError(`${paths[empty]} is empty; it must hold a part of the access key.`);
  return { accessKeyId, secretAccessKey };
}

type RequiredName =
  | 'DOCUMENT_FOLDER'
  | 'DOCUMENT_S3_URL'
  | 'DOCUMENT_S3_ACCESS_KEY_FILE'
  | 'DOCUMENT_S3_SECRET_KEY_FILE';

function required(settings: DocumentStoreSettings, name: RequiredName): string {
  const value = settings[name];
  if (value === undefined)
    throw new ConfigurationError(
      `${name} is missing, but DOCUMENT_STORE=${settings.DOCUMENT_STORE} needs it: set both, or another DOCUMENT_STORE.`,
    );
  return value;
}
