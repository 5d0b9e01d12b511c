#include "report/page_style.h"

namespace rooftune::inline report {

const char* const page_style = R"css(
:root{color-scheme:light dark;--bg:#ffffff;--card:#f6f8fa;--ink:#1b2027;--soft:#57606a;--line:#dfe3e8;
--good:#00704f;--warn:#8a5e00;--bad:#a84100;--accent:#00609a}
@media screen and (prefers-color-scheme:dark){:root{--bg:#12161c;--card:#1a2028;--ink:#e8ebef;--soft:#9da7b3;
--line:#2c343e;--good:#2fc79c;--warn:#f0c04a;--bad:#f08c4a;--accent:#56b4e9}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--ink);
font:15px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif}
main{max-width:1220px;margin:0 auto;padding:28px 20px 60px}
h1{font-size:26px;line-height:1.25;margin:0 0 6px}
h2{font-size:18px;margin:40px 0 10px;padding-bottom:6px;border-bottom:1px solid var(--line)}
p{margin:6px 0;max-width:80ch}
.sub{color:var(--soft)}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(165px,1fr));gap:12px;margin:22px 0 8px}
.card{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:12px 14px}
.card b{display:block;font-size:20px;line-height:1.3;font-weight:650}
.card span{color:var(--soft);font-size:13px;display:block;overflow-wrap:anywhere}
.figure{overflow-x:auto;margin:12px 0}
.figure svg{display:block;width:100%;min-width:860px;height:auto}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:14px;margin:8px 0}
.slim{width:auto}
th,td{text-align:left;padding:5px 14px 5px 0;border-bottom:1px solid var(--line);vertical-align:top}
th{color:var(--soft);font-weight:600;white-space:nowrap}
td.n,th.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
td.w{overflow-wrap:anywhere}
.sortable th{cursor:pointer}
.sortable th:focus-visible,summary:focus-visible{outline:2px solid var(--accent)}
tbody tr:hover{background:var(--card)}
code{font:13px/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;overflow-wrap:anywhere}
.broken,.ok{color:var(--good)}.touching,.uncertain{color:var(--warn)}.above{color:var(--soft)}
.failed{color:var(--bad)}.best td{font-weight:600}
.note{border-left:3px solid var(--warn);padding:2px 0 2px 12px;margin:8px 0;max-width:90ch}
.alarm{border-left-color:var(--bad)}
dl{display:grid;grid-template-columns:minmax(110px,max-content) 1fr;gap:4px 18px;margin:8px 0;font-size:14px}
dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
summary{cursor:pointer;color:var(--accent);margin:8px 0}
footer{margin-top:44px;color:var(--soft);font-size:13px}
@media print{main{max-width:none;padding:0}.figure svg{min-width:0}h2{break-after:avoid}
tr,.card,.figure{break-inside:avoid}}
)css";

const char* const page_script = R"js(
document.querySelectorAll('table.sortable').forEach(function(table){
  var heads=Array.from(table.tHead.rows[0].cells);
  heads.forEach(function(head,column){
    head.tabIndex=0;
    function key(row){var c=row.cells[column],v=c.dataset.v;return v===undefined?c.textContent:parseFloat(v);}
    function sort(){
      var down=head.getAttribute('aria-sort')==='ascending';
      heads.forEach(function(h){h.removeAttribute('aria-sort');});
      head.setAttribute('aria-sort',down?'descending':'ascending');
      var rows=Array.from(table.tBodies[0].rows);
      rows.sort(function(a,b){
        var x=key(a),y=key(b);
        var order=typeof x==='number'?(typeof y==='number'?x-y:-1):(typeof y==='number'?1:x.localeCompare(y));
        return down?-order:order;
      });
      rows.forEach(function(row){table.tBodies[0].appendChild(row);});
    }
    head.addEventListener('click',sort);
    head.addEventListener('keydown',function(e){if(e.key==='Enter'){sort();}});
  });
});
)js";

const char* const page_policy =
    "default-src 'none'; style-src 'unsafe-inline'; "
    "script-src 'sha256-JJVHfbDAJro3aEvvpuH73Z2yz+dBn3N+hhe8DDPpOVY='; "
    "base-uri 'none'; form-action 'none'";

}  // namespace rooftune::inline report
