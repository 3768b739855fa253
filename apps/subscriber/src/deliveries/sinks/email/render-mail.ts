import type { Figure } from '../../content/formats.js';
import type { HumanMessage } from '../../content/describe-message.js';

export interface MailContent {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** The plain and the HTML part of a mail. Both have the same content. */
export function renderMail(message: HumanMessage): MailContent {
  return { subject: message.title, text: renderText(message), html: renderHtml(message) };
}

/** What is said after the figures, each with its label. */
function notes({ action, dueBy, remarks }: HumanMessage): Figure[] {
  return [
    { label: 'What to do', value: action },
    ...(dueBy === undefined ? [] : [{ label: 'By', value: dueBy }]),
    ...remarks.map((value) => ({ label: 'Note', value })),
  ];
}

function renderText(message: HumanMessage): string {
  const { title, explanation, figures, link, reference } = message;
  const rows = [...figures, ...notes(message)];
  const width = Math.max(...rows.map(({ label }) => label.length)) + 2;
  return [
    title,
    '',
    explanation,
    '',
    ...figures.map((figure) => textRow(figure, width)),
    '',
    ...notes(message).map((note) => textRow(note, width)),
    ...(link === undefined ? [] : ['', link]),
    '',
    reference,
    '',
  ].join('\n');
}

const textRow = ({ label, value }: Figure, width: number): string => `${`${label}:`.padEnd(width)}${value}`;

/** Mail programs ignore style sheets, so each element has its style. */
const FONT = 'font-family:Arial,Helvetica,sans-serif;font-size:15px;color:#1f2328';
const LABEL = 'padding:4px 24px 4px 0;color:#59636e;vertical-align:top;white-space:nowrap;min-width:170px';
const VALUE = 'padding:4px 0;font-variant-numeric:tabular-nums;vertical-align:top';

function renderHtml(message: HumanMessage): string {
  const { title, explanation, figures, link, reference } = message;
  return [
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title></head>`,
    `<body style="${FONT}"><h1 style="font-size:19px">${escapeHtml(title)}</h1>`,
    `<p>${escapeHtml(explanation)}</p>`,
    htmlTable(figures),
    htmlTable(notes(message)),
    link === undefined ? '' : `<p><a href="${escapeHtml(link)}">Open in the console</a></p>`,
    `<p style="font-size:12px;color:#59636e">${escapeHtml(reference)}</p>`,
    '</body></html>',
  ].join('\n');
}

function htmlTable(rows: readonly Figure[]): string {
  const lines = rows.map(
    ({ label, value }) =>
      `<tr><td style="${LABEL}">${escapeHtml(label)}</td><td style="${VALUE}">${escapeHtml(value)}</td></tr>`,
  );
  return `<table style="border-collapse:collapse;margin:12px 0;${FONT}">${lines.join('')}</table>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
