/** Dark, as the default theme of Grafana. */
export const STYLE = `
* { box-sizing: border-box; margin: 0; }
body { background: #111217; color: #ccccdc; font: 13px Inter, 'DejaVu Sans', sans-serif; }
header { padding: 12px 14px; position: relative; }
h1 { font-size: 20px; font-weight: 500; }
header p { color: #9fa0ac; margin-top: 4px; }
aside { position: absolute; right: 14px; top: 16px; color: #9fa0ac; border: 1px solid #34363f; padding: 6px 10px; border-radius: 3px; font-size: 12px; }
section { position: absolute; background: #181b1f; border: 1px solid #25272e; border-radius: 3px; padding: 0 7px; overflow: hidden; }
h2 { position: absolute; font-size: 15px; font-weight: 500; padding-top: 6px; }
h3 { font-size: 13px; font-weight: 500; padding: 7px 2px 6px; white-space: nowrap; }
svg text { fill: #9fa0ac; font-size: 11px; }
.grid { stroke: #2a2d35; }
.legend { overflow: hidden; font-size: 11.5px; line-height: 18px; }
.legend span { margin-right: 14px; white-space: nowrap; display: inline-block; }
.legend i { display: inline-block; width: 14px; height: 4px; border-radius: 2px; margin-right: 6px; vertical-align: middle; }
.legend b { font-weight: 500; color: #fff; }
.stats { display: flex; gap: 6px; height: calc(100% - 36px); }
.stat { flex: 1; border-radius: 3px; color: #fff; display: flex; flex-direction: column; align-items: center; justify-content: center; }
.stat b { font-size: 26px; font-weight: 600; }
.stat small { font-size: 12px; opacity: .9; }
.none { height: calc(100% - 34px); display: flex; align-items: center; justify-content: center; color: #9fa0ac; }
.states { display: flex; flex-direction: column; justify-content: space-evenly; height: calc(100% - 40px); }
.state { display: flex; align-items: center; gap: 8px; font-size: 12px; }
.state span { width: 230px; text-align: right; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.state div { position: relative; flex: 1; height: 30px; background: #22252b; }
.state em { position: absolute; top: 0; bottom: 0; overflow: hidden; color: #fff; font-style: normal; text-align: center; line-height: 30px; }
table { width: 100%; border-collapse: collapse; font-size: 12.5px; }
th { text-align: left; color: #8ab8ff; font-weight: 500; padding: 5px 8px; border-bottom: 1px solid #34363f; }
td { padding: 5px 8px; border-bottom: 1px solid #25272e; white-space: nowrap; }
.figure { text-align: right; }`;
