import type { SqlValue } from './database.js';

/** The conditions of a listing, with their parameters. */
export class Conditions {
  private readonly texts: string[] = [];

  /** @param values of another part of the same statement */
  constructor(readonly values: SqlValue[] = []) {}

  /** @param text gets the placeholder of the value. A condition without a value is left out. */
  add(value: SqlValue | undefined, text: (placeholder: string) => string): this {
    if (value !== undefined) this.texts.push(text(this.parameter(value)));
    return this;
  }

  addText(text: string): this {
    this.texts.push(text);
    return this;
  }

  parameter(value: SqlValue): string {
    return `$${this.values.push(value)}`;
  }

  get where(): string {
    return this.texts.length === 0 ? '' : `WHERE ${this.texts.join(' AND ')}`;
  }
}
