/** Stands for the value of an environment variable. */
export const PLACEHOLDER = /\$\{([A-Z][A-Z0-9_]*)\}/g;

/** A placeholder without an environment variable, at its first place. */
export interface UnsetPlaceholder {
  readonly name: string;
  /** Place of the value in the file. */
  readonly path: readonly PropertyKey[];
}

/** Marks a placeholder that was not replaced. No environment variable can contain this character. */
const UNSET_MARK = '\0';

/** Whether the value of the text is unknown, because it contains a placeholder without a variable. */
export function isUnknown(text: string): boolean {
  return text.includes(UNSET_MARK);
}

/**
 * Replaces placeholders after parsing, so that no variable can change the structure of the file. The value of one without a
 * variable is unknown (`isUnknown`).
 */
export function replacePlaceholders(
  value: unknown,
  environment: Readonly<Record<string, string | undefined>>,
): { value: unknown; unset: UnsetPlaceholder[] } {
  const unset = new Map<string, UnsetPlaceholder>();
  const replace = (each: unknown, path: readonly PropertyKey[]): unknown => {
    if (Array.isArray(each)) return each.map((item: unknown, index) => replace(item, [...path, index]));
    if (typeof each === 'object' && each !== null) {
      return Object.fromEntries(
        Object.entries(each).map(([key, item]) => [key, replace(item, [...path, key])]),
      );
    }
    if (typeof each !== 'string') return each;
    return each.replace(PLACEHOLDER, (placeholder, name: string) => {
      // A value that was read from a file often ends with the line end of the file.
      const found = environment[name]?.replace(/[\r\n]+$/, '');
      if (found !== undefined && found !== '') return found;
      if (!unset.has(name)) unset.set(name, { name, path });
      return `${UNSET_MARK}${placeholder}`;
    });
  };
  return { value: replace(value, []), unset: [...unset.values()] };
}
