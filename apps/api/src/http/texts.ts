import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptionalField, IsTextThat } from '@ssb/platform/request-dto';

const LONE_SURROGATE = /\p{Surrogate}/u;

/** Characters of a participant's code (document 000). */
export const MAX_CODE_LENGTH = 60;
/** Characters of a name or an id in a filter. */
export const MAX_NAME_LENGTH = 200;
export const NAME_REQUIREMENT = requireLength(MAX_NAME_LENGTH);
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether PostgreSQL can store the text: 1 to `maxLength` characters without NUL and lone surrogates. */
export function isStorable(text: string, maxLength: number): boolean {
  return (
    text.trim() !== '' && hasAtMost(maxLength, text) && !text.includes('\0') && !LONE_SURROGATE.test(text)
  );
}

/** As PostgreSQL and JSON Schema count characters: one of two UTF-16 units counts once. */
function hasAtMost(maxLength: number, text: string): boolean {
  return text.length <= maxLength || (text.length <= 2 * maxLength && [...text].length <= maxLength);
}

export function isName(text: string): boolean {
  return isStorable(text, MAX_NAME_LENGTH);
}

/** In lower case, as PostgreSQL writes it. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** JSON Schema of a text. */
export interface TextSchema {
  readonly type: 'string';
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly enum?: string[];
}

const NOT_BLANK_WITHOUT_NUL = String.raw`^[^\x00]*[^\s\x00][^\x00]*$`;

/** JSON Schema of a text that `isStorable` accepts. */
export const storableSchema = (maxLength: number) =>
  ({ type: 'string', minLength: 1, maxLength, pattern: NOT_BLANK_WITHOUT_NUL }) as const satisfies TextSchema;

export const NAME_SCHEMA = storableSchema(MAX_NAME_LENGTH);

/** JSON Schema of an event type, also without prefix and version, or a pattern with *. */
export const TYPE_SCHEMA = { type: 'string', maxLength: 100, pattern: '^[a-z0-9.*-]+$' } as const;

interface TextField {
  readonly maxLength: number;
  readonly description: string;
  /** What a refused text must be. Default: its length. */
  readonly requirement?: string;
}

/** A text that PostgreSQL can store, as a parameter or in a body. */
export const IsText = (field: TextField): PropertyDecorator =>
  applyDecorators(ApiProperty(describe(field)), isStorableText(field));

/** The same for a text that may be absent. */
export const IsOptionalText = (field: TextField): PropertyDecorator =>
  applyDecorators(ApiPropertyOptional(describe(field)), IsOptionalField(), isStorableText(field));

const describe = ({ maxLength, description }: TextField) => ({ ...storableSchema(maxLength), description });

const isStorableText = ({
  maxLength,
  requirement = requireLength(maxLength),
}: TextField): PropertyDecorator => IsTextThat((text) => isStorable(text, maxLength), requirement);

function requireLength(maxLength: number): string {
  return `must have 1 to ${maxLength} characters`;
}
