#include "sweep/site_style.h"

namespace rooftune::inline sweep {

const char* const sweep_style = R"css(
a{color:var(--accent)}
a:focus-visible,input:focus-visible,select:focus-visible{outline:2px solid var(--accent);outline-offset:1px}
.filter{display:flex;flex-wrap:wrap;gap:10px 16px;align-items:center;margin:18px 0 4px;position:sticky;top:0;
background:var(--bg);padding:8px 0;z-index:1}
.filter input,.filter select{font:inherit;color:var(--ink);background:var(--card);border:1px solid var(--line);
border-radius:6px;padding:6px 10px;min-width:0}
.filter input{flex:1 1 220px;max-width:420px}
.filter output{color:var(--soft)}
[hidden]{display:none}
.heat th,.heat td{padding:0;border:2px solid var(--bg)}
.heat th{padding:4px 10px 4px 0;text-align:left}
.heat thead th{padding:4px 8px;text-align:right}.heat thead th:first-child{padding-left:0;text-align:left}
th.p{min-width:16ch}.d{white-space:nowrap}
.heat td a{display:block;min-width:64px;padding:5px 8px;text-align:right;text-decoration:none;color:inherit;
font-variant-numeric:tabular-nums}
.heat tbody tr:hover{background:none}
.g0{background:#0b5345;color:#fff}.g1{background:#2f8f6f;color:#fff}.g2{background:#a9dfbf;color:#10221a}
.g3{background:#fcf3cf;color:#2b2610}.g4{background:#f8c471;color:#2b1d05}.g5{background:#dc7633;color:#1b0d02}
.g6{background:#922b21;color:#fff}.gx{background:var(--card);color:var(--bad)}
.legend{display:flex;flex-wrap:wrap;gap:4px;font-size:13px}
.legend span{padding:2px 8px;border-radius:3px}
.trends{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,350px),1fr));gap:14px;margin:10px 0}
.trend{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:10px 12px 6px;min-width:0;
break-inside:avoid;content-visibility:auto;contain-intrinsic-size:auto 240px}
.trend h3{font-size:15px;margin:0;overflow-wrap:anywhere}
.trend p{font-size:13px;margin:0 0 4px;overflow-wrap:anywhere}
.trend svg{display:block;width:100%;height:auto}
.wide{overflow-x:auto;margin:12px 0}.wide svg{display:block;width:100%;min-width:640px;height:auto}
.key{font-size:13px;color:var(--soft)}
.regressed{color:var(--bad);font-weight:600}.improved{color:var(--good)}
.inconclusive,.provisional,.machine,.compiler{color:var(--warn)}
@media (max-width:600px){main{padding:16px 12px 40px}h1{font-size:22px}.heat td a{min-width:52px}}
@media print{.filter{display:none}.trends{grid-template-columns:1fr 1fr}.wide svg{min-width:0}
.trend{content-visibility:visible}td.g0,td.g1,td.g2,td.g3,td.g4,td.g5,td.g6,.legend span{print-color-adjust:exact;
-webkit-print-color-adjust:exact}}
)css";

const char* const filter_script = R"js(
(function(){
  var form=document.getElementById('filter'),words=document.getElementById('words');
  var verdict=document.getElementById('verdict'),shown=document.getElementById('shown');
  var all=Array.from(document.querySelectorAll('[data-s]'));
  function apply(){
    var wanted=(words.value+' '+verdict.value).toLowerCase().split(/\s+/).filter(Boolean),count=0,studies=0;
    all.forEach(function(one){
      var hit=wanted.every(function(word){return one.dataset.s.indexOf(word)!==-1;});
      one.hidden=!hit;
      if(one.dataset.n){studies+=1;if(hit){count+=1;}}
    });
    shown.textContent=count+' of '+studies+' studies';
  }
  function keep(){
    apply();
    try{history.replaceState(null,'','#q='+encodeURIComponent(words.value));}catch(e){}
  }
  form.hidden=false;
  form.addEventListener('submit',function(e){e.preventDefault();});
  words.addEventListener('input',keep);
  verdict.addEventListener('change',apply);
  if(location.hash.indexOf('#q=')===0){
    try{words.value=decodeURIComponent(location.hash.slice(3));}catch(e){}
  }
  apply();
})();
)js";

const char* const sweep_policy =
    "default-src 'none'; style-src 'unsafe-inline'; "
    "script-src 'sha256-JJVHfbDAJro3aEvvpuH73Z2yz+dBn3N+hhe8DDPpOVY=' "
    "'sha256-xeeLOOgPTZihsVwpU/le5ZN5txShplnM5D8La+XWbIo='; base-uri 'none'; form-action 'none'";

}  // namespace rooftune::inline sweep
