import type { ChatSinkConfig } from '@ssb/config';
import { toPrintable, type DeliveryOutcome } from '@ssb/net';
import { describeMessage, type HumanMessage } from '../../content/describe-message.js';
import type { AlertSink, SinkMessage } from '../alert-sink.js';
import type { JsonPoster } from '../json-poster.js';
import type { SinkKind } from '../sink-kind.js';
import { chatFiles, openChatPoster } from './chat-poster.js';

/** Posts each delivery to an incoming webhook of Slack, as blocks. */
export class SlackSink implements AlertSink {
  constructor(
    readonly name: string,
    private readonly poster: JsonPoster,
    private readonly consoleUrl?: string,
  ) {}

  deliver(message: SinkMessage, signal: AbortSignal): Promise<DeliveryOutcome> {
    return this.poster.post(renderSlack(describeMessage(message, this.consoleUrl)), signal);
  }

  close(): Promise<void> {
    return this.poster.close();
  }
}

/** Limits of Slack: characters of a header and of a text; fields of a section. */
const MAX_HEADER = 150;
const MAX_TEXT = 2_000;
const MAX_FIELDS = 10;

/** The payload of one message. `text` is what a notification shows. Texts of others are plain text, so they cannot mention people or add a link. */
export function renderSlack(message: HumanMessage): object {
  const { title, explanation, figures, action, dueBy, remarks, link, reference } = message;
  const notes = [
    { label: 'What to do', value: action },
    ...(dueBy === undefined ? [] : [{ label: 'By', value: dueBy }]),
    ...remarks.map((value) => ({ label: 'Note', value })),
  ];
  // Slack shows the fields of a section in two columns.
  const fields = [...figures, ...notes].flatMap(({ label, value }) => [bold(label), plain(value)]);
  return {
    text: escapeText(title),
    mrkdwn: false,
    parse: 'none',
    link_names: false,
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      { type: 'header', text: plain(title, MAX_HEADER) },
      { type: 'section', text: plain(explanation) },
      ...chunk(fields, MAX_FIELDS).map((part) => ({ type: 'section', fields: part })),
      ...(link === undefined
        ? []
        : [{ type: 'section', text: markup(`<${escapeText(link)}|Open in the console>`) }]),
      { type: 'context', elements: [plain(reference)] },
    ],
  };
}

const plain = (text: string, maxLength = MAX_TEXT): object => ({
  type: 'plain_text',
  text: toPrintable(text, maxLength),
  emoji: false,
});

/** `verbatim`: Slack makes no links of names and addresses. */
const markup = (text: string): object => ({ type: 'mrkdwn', text, verbatim: true });

/** A label can have the name of a person. */
const bold = (label: string): object => (/^[\w ]+$/.test(label) ? markup(`*${label}*`) : plain(label));

/** The three characters that Slack gives a meaning. */
function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function chunk<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) =>
    items.slice(at * size, (at + 1) * size),
  );
}

export const SLACK_KIND: SinkKind<ChatSinkConfig> = {
  files: chatFiles,
  open: (config, context) => new SlackSink(config.name, openChatPoster(config, context), context.consoleUrl),
};
