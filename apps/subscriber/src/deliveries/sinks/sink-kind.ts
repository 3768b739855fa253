import type { TlsFileNames } from '@ssb/net';
import type { AlertSink } from './alert-sink.js';
import type { SinkFileNames, SinkFiles } from './sink-files.js';

/** What a kind of sinks gets beside its configuration. */
export interface SinkContext {
  /** Maximum duration of one attempt. */
  readonly timeoutMs: number;
  readonly responseLimitBytes: number;
  /** Attempts that run at the same time. */
  readonly connections: number;
  readonly files: SinkFiles;
  /** Address of the console, for links; undefined without one. */
  readonly consoleUrl: string | undefined;
  /** The path of a file that the configuration names. */
  readonly pathOf: (file: string) => string;
}

/** An entry of the table of kinds. */
export interface SinkKind<Config> {
  /** The files that the configuration names. */
  readonly files: (config: Config, pathOf: SinkContext['pathOf']) => SinkFileNames;
  readonly open: (config: Config, context: SinkContext) => AlertSink;
}

export const NO_FILES: SinkFileNames = { texts: [], tls: {} };

/** The certificate files of a sink. */
export function tlsFiles(
  config: {
    readonly [Key in 'caFile' | 'certFile' | 'keyFile' | 'pfxFile' | 'pfxPasswordFile']?: string | undefined;
  },
  pathOf: SinkContext['pathOf'],
): TlsFileNames {
  const { caFile, certFile, keyFile, pfxFile, pfxPasswordFile } = config;
  const [ca, cert, key, pfx, pfxPassword] = [caFile, certFile, keyFile, pfxFile, pfxPasswordFile].map(
    (file) => file && pathOf(file),
  );
  return { ca, cert, key, pfx, pfxPassword };
}
