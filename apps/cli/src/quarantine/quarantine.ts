import { StyledText, type Column } from '@ssb/platform/cli';
import { carryOut } from '../api/carry-out.js';
import type { Operations, QuarantineDetail, QuarantineRow } from '../api/operations.js';
import { withApi, type ApiOptions, type ListOptions, type RequestOptions } from '../commands/api-command.js';
import { printListing, printResult } from '../output/listing.js';
import { renderFields, renderParts, showTime } from '../output/text.js';

export interface QuarantineOptions
  extends ListOptions, Pick<Operations['GET /v1/quarantine']['query'], 'state' | 'reason' | 'channel'> {}

export function listQuarantine(options: QuarantineOptions): Promise<void> {
  const { state, reason, channel } = options;
  return withApi(options, (api) =>
    printListing(
      api,
      '/v1/quarantine',
      { query: { state, reason, channel }, columns: COLUMNS, empty: 'No messages match.' },
      options,
    ),
  );
}

const COLUMNS: readonly Column<QuarantineRow>[] = [
  { head: 'id', cell: ({ id }) => id, whole: true },
  { head: 'quarantined', cell: ({ quarantinedAt }) => showTime(quarantinedAt), whole: true },
  { head: 'reason', cell: ({ reason }) => reason },
  {
    head: 'signer',
    cell: ({ trusted }) => (trusted ? 'trusted' : 'unknown'),
    style: ({ trusted }) => (trusted ? 'bad' : undefined),
  },
  { head: 'topic', cell: ({ topic }) => topic, rank: 2 },
  { head: 'detail', cell: ({ detail }) => detail, rank: 1 },
  { head: 'channel', cell: ({ channel }) => channel, rank: 3 },
  { head: 'bytes', cell: ({ payloadBytes }) => String(payloadBytes), align: 'right', rank: 4 },
  { head: 'sender', cell: ({ sender }) => sender, rank: 5 },
  { head: 'released', cell: ({ releasedAt }) => showTime(releasedAt), rank: 6, whole: true },
];

export function showQuarantined(id: string, options: ApiOptions): Promise<void> {
  return withApi(options, async (api) => {
    const message = await api.get('/v1/quarantine/{id}', { parts: { id } });
    printResult(message, options.output, renderMessage);
  });
}

function renderMessage(message: QuarantineDetail): StyledText {
  const { encoding, payload, payloadBytes, payloadTruncated } = message;
  const heading = encoding === 'base64' ? 'Payload in base64' : 'Payload';
  return renderParts([
    [
      '',
      renderFields([
        ['id', message.id],
        ['state', message.state],
        ['reason', message.reason],
        ['detail', message.detail],
        ['signer', message.trusted ? 'a trusted gateway or bridge' : 'unknown'],
        ['sender', message.sender],
        ['channel', message.channel],
        ['topic', message.topic],
        ['message', message.messageId],
        ['transaction', message.transactionId],
        ['signature', message.signature],
        ['appended', showTime(message.appendedAt)],
        ['quarantined', showTime(message.quarantinedAt)],
        ['released', showTime(message.releasedAt)],
        ['bytes', String(payloadBytes)],
      ]),
    ],
    [payloadTruncated ? `${heading}, only its beginning` : heading, StyledText.of(payload)],
  ]);
}

export function recheck({ comment, wait, ...options }: RequestOptions): Promise<void> {
  return withApi(options, async (api) => {
    const body = comment === undefined ? {} : { comment };
    const result = await carryOut(api, '/v1/quarantine/recheck', body, { wait });
    printResult(
      result,
      options.output,
      ({ evaluated, released, stillQuarantined }) =>
        `evaluated ${String(evaluated)}, released ${String(released)}, still quarantined ${String(stillQuarantined)}`,
    );
  });
}
