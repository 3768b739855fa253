type PageAddress =
  | '/problems'
  | '/operations/dead-letters'
  | '/operations/quarantine'
  | '/deliveries'
  | '/sinks'
  | '/silences';

/** Pages of the console that show what an address of the API has. */
const PAGES: Readonly<Record<string, { readonly to: PageAddress; readonly label: string }>> = {
  '/v1/problems': { to: '/problems', label: 'the problems' },
  '/v1/dead-letters': { to: '/operations/dead-letters', label: 'the dead letters' },
  '/v1/quarantine': { to: '/operations/quarantine', label: 'the quarantine' },
  '/v1/deliveries': { to: '/deliveries', label: 'the deliveries' },
  '/v1/sinks': { to: '/sinks', label: 'the sinks' },
  '/v1/silences': { to: '/silences', label: 'the silences' },
};

export interface FindingPart {
  readonly text: string;
  /** The page that the text leads to. */
  readonly to?: PageAddress;
  /** Whether the text is a time with its offset. */
  readonly isTime?: true;
}

const PARTS = /(\/v1\/[a-z-]+|\d{4}-\d\d-\d\dT[\d:.]+Z)/;

/** The parts of a sentence of `/v1/status`: addresses of the API are links to pages, and times are found. */
export function splitFinding(sentence: string): readonly FindingPart[] {
  return sentence
    .split(PARTS)
    .filter((text) => text !== '')
    .map((text) => {
      const page = PAGES[text];
      if (page !== undefined) return { text: page.label, to: page.to };
      return /^\d{4}-/.test(text) && PARTS.test(text) ? { text, isTime: true } : { text };
    });
}
