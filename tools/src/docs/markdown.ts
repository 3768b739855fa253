export function code(text: string): string {
  return `\`${text}\``;
}

export function renderList(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join('\n');
}
