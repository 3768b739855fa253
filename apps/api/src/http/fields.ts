import { ApiProperty, ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';

/** How a member of a response is documented. */
interface Field {
  readonly description: string;
  /** Absent from a response where it does not apply. Default false. */
  readonly optional?: boolean;
}

const property = ({ description, optional = false }: Field, schema: ApiPropertyOptions): PropertyDecorator =>
  (optional ? ApiPropertyOptional : ApiProperty)({ description, ...schema });

export const Text = (field: Field & { readonly values?: readonly string[] }): PropertyDecorator =>
  property(field, { type: 'string', ...(field.values && { enum: [...field.values] }) });

/** RFC 3339 with milliseconds, in UTC. */
export const Time = (field: Field): PropertyDecorator =>
  property(field, { type: 'string', format: 'date-time' });

/** `yyyy-MM-dd`, a day of the market (UTC+8). */
export const MarketDate = (field: Field): PropertyDecorator =>
  property(field, { type: 'string', format: 'date' });

/** A decimal number with every digit of the operator; amounts are in AUD. */
export const Decimal = (field: Field): PropertyDecorator =>
  property(field, { type: 'string', pattern: String.raw`^-?\d+(\.\d+)?$` });

export const Integer = (field: Field): PropertyDecorator => property(field, { type: 'integer' });

export const Flag = (field: Field): PropertyDecorator => property(field, { type: 'boolean' });

export const Texts = (field: Field & { readonly values?: readonly string[] }): PropertyDecorator =>
  property(field, {
    type: 'array',
    items: { type: 'string', ...(field.values && { enum: [...field.values] }) },
  });

/** A JSON object whose members depend on what it belongs to. */
export const Members = (field: Field): PropertyDecorator =>
  property(field, { type: 'object', additionalProperties: true });

export const Part = (field: Field & { readonly of: () => new () => object }): PropertyDecorator =>
  property(field, { type: () => field.of() });

export const Parts = (field: Field & { readonly of: () => new () => object }): PropertyDecorator =>
  property(field, { type: () => field.of(), isArray: true });
