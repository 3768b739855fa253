import type { WebhookSinkConfig } from '@ssb/config';
import { WebhookClient, type DeliveryOutcome, type WebhookClientOptions } from '@ssb/net';
import type { AlertSink, SinkMessage, TraceHeaders } from './alert-sink.js';
import { openReceiverAccess, receiverFiles } from './receiver-access.js';
import { SECRET } from './sink-files.js';
import { tlsFiles, type SinkKind } from './sink-kind.js';

/** Posts the text of a message, byte for byte, according to Standard Webhooks. What the text does not say is in headers. */
export class WebhookSink implements AlertSink {
  private readonly client: WebhookClient;

  constructor(
    readonly name: string,
    options: WebhookClientOptions,
    private readonly onClose: () => Promise<void> = () => Promise.resolve(),
  ) {
    this.client = new WebhookClient(options);
  }

  deliver(message: SinkMessage, signal: AbortSignal, trace?: TraceHeaders): Promise<DeliveryOutcome> {
    const { eventId: id, text } = message;
    return this.client.post({ id, text, headers: { ...trace, ...describe(message) } }, signal);
  }

  async close(): Promise<void> {
    await this.client.close();
    await this.onClose();
  }
}

function describe(message: SinkMessage): Record<string, string> {
  const { kind, severity, problemId, problemState, marks, replayed } = message;
  return {
    'bridge-kind': kind,
    'bridge-severity': severity,
    ...(problemId !== null && { 'bridge-problem': problemId }),
    ...(problemState !== null && { 'bridge-state': problemState }),
    ...(marks.length > 0 && { 'bridge-marks': marks.join(',') }),
    ...(replayed && { 'bridge-replayed': 'true' }),
  };
}

export const WEBHOOK_KIND: SinkKind<WebhookSinkConfig> = {
  files: (config, pathOf) => ({
    texts: [
      ...secretFiles(config).map((file) => ({ path: pathOf(file), form: SECRET })),
      ...receiverFiles(config, pathOf),
    ],
    tls: tlsFiles(config, pathOf),
  }),
  open: (config, context) => {
    const { files, pathOf } = context;
    const access = openReceiverAccess(config, context);
    const paths = secretFiles(config).map(pathOf);
    const secrets =
      config.secret === undefined ? () => paths.map((path) => files.text(path)) : () => [config.secret ?? ''];
    return new WebhookSink(config.name, { ...access.options, secrets }, access.close);
  },
};

function secretFiles({ secretFile, secretFiles: files = [] }: WebhookSinkConfig): readonly string[] {
  return secretFile === undefined ? files : [secretFile];
}
