export { checkFigures } from './check.ts';
export { demandFigure, incrementFigure } from './demand.ts';
export { type Inks, inksFor } from './inks.ts';
export { projectionFigures } from './projection.ts';
export { bandwidthFigure, scalingFigures } from './scaling.ts';
