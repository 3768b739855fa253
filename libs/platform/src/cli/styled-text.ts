import { escapeLine } from '@ssb/net/printable';

/** What a style means; the colours are those of a terminal with a dark or a bright background. */
const STYLES = {
  bad: '\u001b[1;31m',
  warning: '\u001b[33m',
  good: '\u001b[32m',
  heading: '\u001b[1m',
  dim: '\u001b[2m',
} as const;
const END_OF_STYLE = '\u001b[0m';

export type Style = keyof typeof STYLES;

/** Text for a terminal, with colours of our own only: everything else that a terminal would obey is escaped. */
export class StyledText {
  private constructor(
    readonly plain: string,
    readonly coloured: string,
  ) {}

  /** One line. */
  static of(text: string, style?: Style): StyledText {
    const line = escapeLine(text);
    return new StyledText(line, style === undefined ? line : `${STYLES[style]}${line}${END_OF_STYLE}`);
  }

  /** @param separator of our own, such as a line end */
  static join(parts: readonly StyledText[], separator = ''): StyledText {
    return new StyledText(
      parts.map(({ plain }) => plain).join(separator),
      parts.map(({ coloured }) => coloured).join(separator),
    );
  }

  /** Without spaces at its end. */
  trimEnd(): StyledText {
    return new StyledText(this.plain.trimEnd(), this.coloured.trimEnd());
  }

  /** With spaces up to a width. */
  pad(width: number, side: 'left' | 'right' = 'right'): StyledText {
    const spaces = ' '.repeat(Math.max(0, width - this.plain.length));
    return side === 'right'
      ? new StyledText(this.plain + spaces, this.coloured + spaces)
      : new StyledText(spaces + this.plain, spaces + this.coloured);
  }
}
