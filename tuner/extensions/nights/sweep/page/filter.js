// Hides what does not have all the words typed; the page is complete without it.
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
