import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsDateTime, IsOptionalField } from '@ssb/platform/request-dto';
import { Integer, MarketDate, Text, Time } from '../http/fields.js';
import { IsParticipants } from '../http/market-fields.js';
import { IsOneOf, PageQuery } from '../http/page.js';
import { IsOptionalText, MAX_NAME_LENGTH } from '../http/texts.js';

const MARKETS = ['WEM', 'NSTEM', 'STEM'];

/** Which documents a listing has. */
export class DocumentsQuery extends PageQuery {
  @IsParticipants()
  readonly participant?: readonly string[];

  @IsOneOf(MARKETS, 'Market service.')
  readonly market?: readonly string[];

  @IsOptionalText({ maxLength: MAX_NAME_LENGTH, description: "The operator's identifier of the invoice." })
  readonly invoice?: string;

  @ApiPropertyOptional({
    type: 'string',
    format: 'date-time',
    description: 'Documents that were stored at this time or later.',
  })
  @IsOptionalField()
  @IsDateTime()
  readonly since?: Date;

  @ApiPropertyOptional({
    type: 'string',
    format: 'date-time',
    description: 'Documents that were stored before this time.',
  })
  @IsOptionalField()
  @IsDateTime()
  readonly until?: Date;
}

/** The document of one version of an invoice, without its bytes. */
export class DocumentRow {
  @Text({ description: 'Id of the document, and of the event that announced it.' }) readonly id!: string;
  @Text({ description: 'Code of the participant.' }) readonly participant!: string;
  @Text({ description: 'Market service.' }) readonly market!: string;
  @MarketDate({ description: 'First trading day of the period.' }) readonly periodFrom!: string;
  @Text({ description: 'Designation of the run, such as INITIAL.' }) readonly designation!: string;
  @Text({ description: "The operator's identifier of the invoice." }) readonly invoice!: string;
  @Text({ description: 'Digest of the version of the invoice, as its event has it.' })
  readonly digest!: string;
  @Text({ description: 'Media type of the document.' }) readonly mediaType!: string;
  @Integer({ description: 'Size of the document.' }) readonly bytes!: number;
  @Text({ description: 'SHA-256 of its bytes, in hexadecimal.' }) readonly sha256!: string;
  @Time({ description: 'When it was stored.' }) readonly storedAt!: string;
}

export const DOCUMENT_COLUMNS = [
  ...['id', 'participant', 'market', 'periodFrom', 'designation', 'invoice', 'digest', 'mediaType', 'bytes'],
  ...['sha256', 'storedAt'],
];
