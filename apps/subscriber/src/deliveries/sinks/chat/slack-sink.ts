import type { ChatSinkConfig } from '@ssb/config';
import type { DeliveryOutcome } from '@ssb/net';
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

/** Limits of Slack: characters of a header and of a text, fields of a section. */
const MAX_HEADER = 150;
const MAX_TEXT = 2_000;
const MAX_FIELDS = 10;

/** The payload of one message. `text` is what a notification shows. */
export function renderSlack(message: HumanMessage): object {
  const { title, explanation, figures, action, dueBy, remarks, link, reference } = message;
  const by = dueBy === undefined ? '' : ` By ${dueBy}.`;
  const notes = [`*What to do:* ${escapeText(action)}${by}`, ...remarks];
  const fields = figures.map(({ label, value }) => `*${escapeText(label)}*\n${escapeText(value)}`);
  return {
    text: escapeText(title),
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: cut(title, MAX_HEADER), emoji: false } },
      section(escapeText(explanation)),
      ...chunk(fields, MAX_FIELDS).map((part) => ({
        type: 'section',
        fields: part.map((text) => ({ type: 'mrkdwn', text: cut(text, MAX_TEXT) })),
      })),
      section(notes.join('\n')),
      ...(link === undefined ? [] : [section(`<${link}|Open in the console>`)]),
      { type: 'context', elements: [{ type: 'plain_text', text: cut(reference, MAX_TEXT), emoji: false }] },
    ],
  };
}

const section = (text: string): object => ({
  type: 'section',
  text: { type: 'mrkdwn', text: cut(text, MAX_TEXT) },
});

/** The three characters that Slack gives a meaning, as its documentation says. A text cannot mention people or add a link. */
function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
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
