/** The list in tools/vocabulary.json. */
export interface Vocabulary {
  /** Words that appear nowhere: in code, comments, docs or file names. */
  readonly words: readonly {
    readonly forms: readonly string[];
    readonly use: string;
    /** Pattern of a text in which the word is allowed, such as the quoted name of a Unix account. */
    readonly except?: string;
  }[];
  /** Names of classes, functions and constants that appear in no source file. */
  readonly names: readonly { readonly pattern: string; readonly use: string }[];
}

export interface Finding {
  /** 1-based; 0 for the path itself. */
  readonly line: number;
  readonly word: string;
  /** The words to use instead. */
  readonly use: string;
}

/** Finds the words that the project does not use, in a file's path and in its text. */
export function createWordFinder(vocabulary: Vocabulary): (path: string, text: string) => Finding[] {
  const words = vocabulary.words.map(({ forms, use, except }) => ({
    pattern: patternOfWords(forms),
    use,
    except: except === undefined ? undefined : new RegExp(except, 'g'),
  }));
  const names = vocabulary.names.map(({ pattern, use }) => ({
    pattern: new RegExp(`(?<![\\w$])(?:${pattern})(?![\\w$])`, 'g'),
    use,
  }));
  return (path, text) => {
    const patterns = path.endsWith('.ts') ? [...words, ...names] : words;
    return [
      ...words.flatMap((entry) => matches(path, entry).map((finding) => ({ ...finding, line: 0 }))),
      ...patterns.flatMap((entry) => matches(text, entry)),
    ].sort((a, b) => a.line - b.line);
  };
}

interface Entry {
  readonly pattern: RegExp;
  readonly use: string;
  readonly except?: RegExp | undefined;
}

function matches(source: string, { pattern, use, except }: Entry): Finding[] {
  // Replaced by as many spaces, so that the lines of what follows stay.
  const text =
    except === undefined ? source : source.replaceAll(except, (allowed) => ' '.repeat(allowed.length));
  return [...text.matchAll(pattern)].map((match) => ({
    line: text.slice(0, match.index).split('\n').length,
    word: match[0].replaceAll(/[\s*/#-]+/g, ' '),
    use,
  }));
}

/** Matches a word by itself and as a part of `camelCase`, `CONSTANT_CASE` and `kebab-case`; a phrase also across lines of a comment. */
function patternOfWords(forms: readonly string[]): RegExp {
  const alternatives = forms.flatMap((form) => {
    const [lower, upper] = [form, form.toUpperCase()].map((text) => text.replace(' ', '[\\s*/#-]+'));
    const capital = form.charAt(0).toUpperCase() + lower?.slice(1);
    return [`(?<![A-Za-z])${lower}(?![a-z])`, `${capital}(?![a-z])`, `(?<![A-Za-z])${upper}(?![A-Za-z])`];
  });
  return new RegExp(alternatives.join('|'), 'g');
}
