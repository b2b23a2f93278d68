export { attributionFigure } from './attribution.ts';
export { checkFigures } from './check.ts';
export { componentsFigure } from './components.ts';
export { demandFigure, incrementFigure } from './demand.ts';
export { type Inks, inksFor } from './inks.ts';
export { type PartInks, partInks } from './parts.ts';
export { projectionFigures } from './projection.ts';
export { bandwidthFigure, scalingFigures } from './scaling.ts';
export { timelineFigure } from './timeline.ts';
