export { type AttributionPicture, attributionPictures } from './attribution-picture.ts';
export { type BottleneckReport, bottleneckReport, type Stretch } from './bottleneck-report.ts';
export { drillDown } from './drill-down.ts';
