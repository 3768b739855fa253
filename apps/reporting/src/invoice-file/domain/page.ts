/** What an invoice says on paper, in order and in words, before anybody thinks of where it goes. All texts are printable. */
export interface InvoicePage {
  readonly title: string;
  readonly subtitle: string;
  /** Whom the invoice is for, line by line; the first is the name. */
  readonly party: readonly string[];
  readonly facts: readonly Fact[];
  readonly payable: readonly Fact[];
  readonly sections: readonly Section[];
  /** At the foot of every page. */
  readonly foot: string;
}

export interface Fact {
  readonly label: string;
  readonly value: string;
}

export interface Section {
  readonly heading: string;
  readonly blocks: readonly Block[];
}

export type Block = Table | Notes;

export interface Notes {
  readonly kind: 'notes';
  readonly lines: readonly string[];
}

export interface Table {
  readonly kind: 'table';
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
}

export interface Column {
  readonly title: string;
  /** Of the table's width, 0 to 1; those of a table add up to 1. */
  readonly share: number;
  /** Texts wrap from the left; amounts stand in one line at the right. */
  readonly holds: 'text' | 'amount';
}

export type Row = LineRow | GroupRow | SumRow;

/** A cell for each column. */
export interface LineRow {
  readonly kind: 'line';
  readonly cells: readonly string[];
}

/** What the rows below have in common. */
export interface GroupRow {
  readonly kind: 'group';
  readonly label: string;
}

/** A label before an amount in the last column. */
export interface SumRow {
  readonly kind: 'sum';
  readonly weight: 'plain' | 'strong' | 'total';
  readonly label: string;
  readonly amount: string;
}
