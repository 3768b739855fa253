import { HEADER_VALUE_FORM, isHeaderValue } from '@ssb/config';
import {
  WEBHOOK_SECRET,
  WEBHOOK_SECRET_FORM,
  type ClientConnection,
  type TlsFileNames,
  type TlsMaterial,
} from '@ssb/net';
import { ConfiguredFileError, FileWatcher, type FileConnection, type Logger } from '@ssb/platform';

/** What the text of a file must be. */
interface TextForm {
  readonly test: (text: string) => boolean;
  readonly must: string;
}

export const SECRET: TextForm = { test: (text) => WEBHOOK_SECRET.test(text), must: WEBHOOK_SECRET_FORM };
/** Of a header, a bearer token, or the secret of an OAuth client. */
export const CREDENTIAL: TextForm = { test: isHeaderValue, must: HEADER_VALUE_FORM };

/** The files of one sink, with absolute paths. */
export interface SinkFileNames {
  readonly texts: readonly { readonly path: string; readonly form: TextForm }[];
  /** Client certificate and authorities; empty without any. */
  readonly tls: TlsFileNames;
}

export interface SinkFilesOptions {
  readonly sink: string;
  readonly names: SinkFileNames;
  /** Of all webhooks: proxy, allowed networks, and the certificates that the sink does not have itself. */
  readonly connection: ClientConnection;
  readonly connections: {
    openOptional(name: string, files: TlsFileNames): FileConnection;
    close(connection: FileConnection): Promise<void>;
  };
  readonly intervalMs: number;
  readonly log: Logger;
}

/** The secrets and certificates of one sink, read again when they change. Unusable files leave the previous ones in use. */
export class SinkFiles {
  readonly connection: ClientConnection;
  /** The end of the first reading. */
  readonly firstReading: Promise<unknown>;
  private readonly texts = new Map<string, string>();
  private readonly watcher: FileWatcher;
  private readonly tls: FileConnection | undefined;
  private isLoaded = false;
  private refusal: unknown;
  private onChange = (): void => undefined;

  constructor(private readonly options: SinkFilesOptions) {
    const { sink, names, connection, connections, intervalMs, log } = options;
    const hasTls = Object.values(names.tls).some((path) => path !== undefined);
    this.tls = hasTls ? connections.openOptional(`sink ${sink}`, names.tls) : undefined;
    this.connection = withOwnTls(connection, this.tls);
    this.watcher = new FileWatcher({
      paths: names.texts.map(({ path }) => path),
      intervalMs,
      apply: (contents) => this.apply(contents),
      onApplied: () => log.info({ sink }, 'sink secrets reloaded'),
      onRefused: (err) => {
        this.refusal = err;
        log.error({ sink, err }, 'sink secrets reload failed');
      },
      onRecovered: () => {
        this.refusal = undefined;
      },
    });
    const reading = names.texts.length === 0 ? this.apply([]) : this.watcher.startOptional();
    this.firstReading = Promise.all([reading, this.tls?.files.firstReading]);
  }

  /** Whether every file was usable once. */
  get isUsable(): boolean {
    return this.isLoaded && (this.tls === undefined || this.tls.files.isLoaded);
  }

  /** Why files are not used; empty when all are. */
  get problems(): readonly unknown[] {
    return [this.refusal, this.tls?.files.refusal].filter((problem) => problem !== undefined);
  }

  /** Requires `isUsable`. */
  text(path: string): string {
    return this.texts.get(path) ?? '';
  }

  /** Calls the listener now, and after each change of the secrets. */
  observe(listener: () => void): void {
    this.onChange = listener;
    listener();
  }

  async close(): Promise<void> {
    await this.watcher.stop();
    if (this.tls !== undefined) await this.options.connections.close(this.tls);
  }

  private apply(contents: readonly Buffer[]): void {
    const { texts } = this.options.names;
    const found = texts.map(({ path, form }, index) => {
      const text = contents[index]?.toString('utf8').trim() ?? '';
      if (!form.test(text)) throw new ConfiguredFileError(path, `cannot be used. It must hold ${form.must}.`);
      return [path, text] as const;
    });
    for (const [path, text] of found) this.texts.set(path, text);
    this.isLoaded = true;
    this.onChange();
  }
}

/** A connection with certificates of its own in place of those of another one. Its client certificate replaces the other as a whole. */
function withOwnTls(base: ClientConnection, own: ClientConnection | undefined): ClientConnection {
  if (own === undefined) return base;
  let merged: { readonly from: readonly unknown[]; readonly tls: TlsMaterial } | undefined;
  return {
    proxy: base.proxy,
    allowedNetworks: base.allowedNetworks,
    get tls() {
      const [ofBase, ofSink] = [base.tls, own.tls];
      // Another object means another content.
      if (merged === undefined || merged.from[0] !== ofBase || merged.from[1] !== ofSink)
        merged = { from: [ofBase, ofSink], tls: merge(ofBase, ofSink) };
      return merged.tls;
    },
  };
}

function merge(base: TlsMaterial = {}, own: TlsMaterial = {}): TlsMaterial {
  const hasCertificate = own.cert !== undefined || own.pfx !== undefined;
  return hasCertificate ? { ...(base.ca !== undefined && { ca: base.ca }), ...own } : { ...base, ...own };
}
