import { Module } from '@nestjs/common';
import { PositionQueries } from './position-queries.js';
import { Positions } from './positions.js';
import { PositionsController } from './positions.controller.js';
import { SeriesQueries } from './series-queries.js';

/** Prudential positions. */
@Module({ controllers: [PositionsController], providers: [Positions, PositionQueries, SeriesQueries] })
export class PositionsModule {}
