/** As in `trading margin` for `tradingMargin`, and `heartbeat missing` for `heartbeat-missing`. */
export function toWords(name: string): string {
  return name.replaceAll('-', ' ').replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** With a capital letter at the beginning. */
export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** With a small letter at the beginning. */
export function uncapitalize(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** `a`, `a and b`, `a, b and c` */
export function listWords(words: readonly string[], last = 'and'): string {
  return words.length < 2
    ? words.join('')
    : `${words.slice(0, -1).join(', ')} ${last} ${words[words.length - 1]}`;
}
